"""Our default and its peers on the same folds, on the harness of `rulenet.experiments`.

names      what learners are called
sets       data sets, and how they are divided
concepts   generated concepts of four kinds
tables     real tables with numbers, and what peers reach on them
learners   ours and the peers
plan       which learners meet on which sets: the parts
pays       what counting and depth are worth, as Markdown
report     from results to Markdown
"""
