/** Many rows: the first ones are open, the rest is one click away, and nothing is left out. */
import { el, many, plain } from './dom';

/** Rows in one block; `label` is for screen readers. */
export function folded(rows: readonly HTMLElement[], className: string, label: string, head: number): HTMLElement[] {
  const block = (some: readonly HTMLElement[]): HTMLElement => el('div', className, ...some);
  if (rows.length <= head + 3) {
    return [block(rows)];
  }
  const more = many(rows.length - head, head > 0 ? 'more line' : 'line');
  const region = el('div', 'scroll', block(rows.slice(head)));
  region.tabIndex = 0;
  region.setAttribute('role', 'region');
  region.setAttribute('aria-label', plain(`${more} of ${label}`));
  const fold = el('details', 'fold', el('summary', '', more), region);
  return head > 0 ? [block(rows.slice(0, head)), fold] : [fold];
}

/** Lines of text, literal. */
export function textLines(content: string, label: string, head: number): HTMLElement[] {
  const lines = (content.endsWith('\n') ? content.slice(0, -1) : content).split('\n');
  const rows = lines.map((line) => el('div', 'l', el('code', '', line)));
  return folded(rows, 'code plain', label, head);
}

/** Room for line numbers in a block. (Set through the object model: the policy of the page allows no style attribute.) */
export function withNumbers(blocks: HTMLElement[], largest: number): HTMLElement[] {
  for (const block of blocks) {
    block.style.setProperty('--n', `${Math.min(String(largest).length, 9)}ch`);
  }
  return blocks;
}
