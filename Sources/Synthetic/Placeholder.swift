// Placeholder until the first file of Synthetic lands.
