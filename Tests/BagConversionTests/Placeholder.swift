// Filled in by the first test of this target.
