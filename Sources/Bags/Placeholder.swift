// Placeholder until the first file of Bags lands.
