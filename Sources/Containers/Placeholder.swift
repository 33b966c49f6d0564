// Placeholder until the first file of Containers lands.
