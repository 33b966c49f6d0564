// Placeholder until the first file of Sessions lands.
