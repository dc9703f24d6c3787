// Makes a DOM element with a class, text and children; text is only ever set as text.

/** A new element of the page. `className` is one or more classes of our own. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}
