/** Elements, made without any markup in a string: what is text stays text. Characters that hide are made visible. */
import { oneLine, pieces } from '../visible';

/** What an element may hold. */
export type Child = Node | string | undefined;

/** An element with a class and children; plain strings become literal text. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (className !== '') {
    element.className = className;
  }
  for (const child of children) {
    if (child !== undefined) {
      element.append(typeof child === 'string' ? text(child) : child);
    }
  }
  return element;
}

/** A text with what would not be seen in marked spans. */
export function text(value: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const piece of pieces(value)) {
    if (piece.hidden) {
      const span = document.createElement('span');
      span.className = 'hidden';
      span.textContent = piece.shown;
      fragment.append(span);
    } else {
      fragment.append(piece.shown);
    }
  }
  return fragment;
}

/** A text on one line, cut where it is long. */
export function brief(value: string, most = 160): string {
  const [line = ''] = value.split('\n');
  return line.length < value.length || line.length > most ? `${line.slice(0, most)}\u2026` : line;
}

/** An attribute's value: on one line, nothing hidden. */
export function plain(value: string): string {
  return oneLine(value);
}

/** `1 line`, `2 lines`. */
export function many(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}
