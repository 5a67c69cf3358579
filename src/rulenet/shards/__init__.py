"""Rows that are not one table in memory, and rows so many that they are searched by a sample.

parts       rows as they are read: a table, labels, weights
arrow       Arrow batches as frames
memory      what nobody uses goes back to the system
sources     files, datasets, relations and iterators, read in batches
batches     a source that is looked at, then packed
streams     predictions batch by batch
partitions  Dask collections: partitions, and packed shards on workers
survey      what one reading tells of a table: digests of its columns, its classes, some of its rows
pack        a part as packed rows; packed rows joined
shards      all packed rows, to sum over
polish      a network that was found on a sample, polished and pruned on all rows
data        what a search learns from, wherever the rows are
"""
