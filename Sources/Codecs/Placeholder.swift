// Placeholder until the first file of Codecs lands.
