"""Runs the units of a manifest of `mapeverything batch plan` on engines that exist: Ray, Slurm and Kubernetes."""
