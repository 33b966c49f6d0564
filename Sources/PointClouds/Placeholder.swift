// Placeholder until the first file of PointClouds lands.
