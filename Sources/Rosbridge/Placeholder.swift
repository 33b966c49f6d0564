// Placeholder until the first file of Rosbridge lands.
