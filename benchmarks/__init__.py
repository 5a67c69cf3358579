"""Benchmarks that compare in one run; every `bench_*` module has `report() -> str`, a section of Markdown."""
