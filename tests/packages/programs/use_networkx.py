import networkx as nx

g = nx.Graph()
g.add_weighted_edges_from([("a", "b", 4), ("b", "c", 1), ("a", "c", 2), ("c", "d", 5), ("b", "d", 7)])
print(
    nx.shortest_path(g, "a", "d", weight="weight"),
    nx.dijkstra_path_length(g, "a", "d"),
    sorted(nx.minimum_spanning_tree(g).edges(data="weight")),
)
d = nx.DiGraph([(1, 2), (2, 3), (3, 1), (3, 4)])
print(
    sorted(map(sorted, nx.strongly_connected_components(d))),
    nx.is_directed_acyclic_graph(d),
    list(nx.simple_cycles(d)),
    list(nx.bfs_edges(d, 1)),
)
p = nx.petersen_graph()
print(
    nx.diameter(p),
    nx.number_of_nodes(p),
    nx.is_bipartite(p),
    sorted(nx.degree_centrality(nx.star_graph(3)).items()),
    nx.greedy_color(nx.cycle_graph(4)),
)
print(
    list(nx.topological_sort(nx.DiGraph([("x", "y"), ("y", "z")]))),
    nx.density(nx.path_graph(4)),
    list(nx.find_cliques(nx.complete_graph(3))),
)
flow = nx.DiGraph()
flow.add_edge("s", "a", capacity=3)
flow.add_edge("a", "t", capacity=2)
print(nx.maximum_flow_value(flow, "s", "t"), g, nx.to_dict_of_lists(d))
