# SPDX-License-Identifier: GPL-2.0-or-later
# scrapes.py FILE...: scrapes of one run, in their order, as a client of Prometheus sees them. Prints what is wrong: a series
# that is gone or went back, a histogram whose buckets do not rise to _count.
import re
import sys

SAMPLE = re.compile(r'(\w+)(?:\{(.*)\})? (\S+)')
LE = re.compile(r',?le="([^"]*)"')


def read(name):
    """Type of each family, value of each series but buckets, and the values of the buckets of each histogram."""
    types, series, buckets = {}, {}, {}
    for line in open(name):
        if line.startswith('# TYPE '):
            family, kind = line.split()[2:]
            types[family] = kind
        elif not line.startswith('#'):
            metric, labels, value = SAMPLE.match(line).groups()
            labels = labels or ''
            series[metric, labels] = float(value)
            if metric.endswith('_bucket'):
                edge = float(LE.search(labels)[1])
                key = metric[:-len('_bucket')], LE.sub('', labels)
                buckets.setdefault(key, []).append((edge, float(value)))
    return types, series, buckets


def is_counter(types, metric):
    return types.get(metric) == 'counter' or types.get(re.sub(r'_(bucket|sum|count)$', '', metric)) == 'histogram'


def histogram_is_whole(family, labels, edges, series):
    counts = [count for _, count in edges]
    return (edges == sorted(edges) and edges[-1][0] == float('inf') and counts == sorted(counts) and
            counts[-1] == series[f'{family}_count', labels])


before = {}
for name in sys.argv[1:]:
    types, series, buckets = read(name)
    for (family, labels), edges in buckets.items():
        if not histogram_is_whole(family, labels, edges, series):
            print(f'{name}: {family}{{{labels}}}: {edges}, count {series[f"{family}_count", labels]}')
    counters = {key: value for key, value in series.items() if is_counter(types, key[0])}
    for key, value in before.items():
        if key not in counters or counters[key] < value:
            print(f'{name}: {key} was {value}, is {counters.get(key)}')
    before = counters
