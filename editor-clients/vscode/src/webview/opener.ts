/** A path that can be gone to: a button, so that keyboards and screen readers know it for what it is. */
import { el } from './dom';
import { tell } from './telling';

/** A button that asks the extension to show a place. */
export function opener(label: string, path: string, uri?: string, line?: number): HTMLElement {
  const button = el('button', 'place', label);
  button.type = 'button';
  button.addEventListener('click', () => {
    tell({ type: 'open', path, ...(uri === undefined ? {} : { uri }), ...(line === undefined ? {} : { line }) });
  });
  return button;
}
