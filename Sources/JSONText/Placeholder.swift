// Placeholder until the first file of JSONText lands.
