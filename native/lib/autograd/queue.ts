// A queue of what has an order: the one with the highest number comes first.

/** Nodes by the order in which they ran, the last one first. */
export class NodeQueue<T extends { readonly order: number }> {
  readonly #nodes: T[] = [];

  push(node: T): void {
    const nodes = this.#nodes;
    let at = nodes.push(node) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (nodes[parent]!.order >= node.order) break;
      nodes[at] = nodes[parent]!;
      at = parent;
    }
    nodes[at] = node;
  }

  pop(): T | undefined {
    const nodes = this.#nodes;
    const first = nodes[0];
    const last = nodes.pop();
    if (last === undefined || nodes.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= nodes.length) break;
      if (child + 1 < nodes.length && nodes[child + 1]!.order > nodes[child]!.order) child += 1;
      if (nodes[child]!.order <= last.order) break;
      nodes[at] = nodes[child]!;
      at = child;
    }
    nodes[at] = last;
    return first;
  }
}
