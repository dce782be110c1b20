"""What we measure, side by side with a reference in the same run: `python -m benchmarks.speed`, `.recall`, `.cost`."""
