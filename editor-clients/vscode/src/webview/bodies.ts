/** What is in a card, by its kind: six kinds, and whatever a later version may know. */
import { diffBody } from './diffBody';
import { brief, el, many } from './dom';
import { folded, textLines, withNumbers } from './folding';
import { integer, items, type Members, members, pretty, string } from './members';
import { opener } from './opener';

/** The body of a view. */
export function body(view: Members, label: string): HTMLElement[] {
  switch (view['card']) {
    case 'diff':
      return diffBody(view, label);
    case 'read':
      return read(view, label);
    case 'terminal':
      return terminal(view, label);
    case 'search':
      return search(view, label);
    case 'web':
      return string(view, 'text') === '' ? [] : textLines(string(view, 'text'), label, 8);
    case 'generic':
      return generic(view, label);
    default:
      return textLines(pretty(view), label, 12);
  }
}

function generic(view: Members, label: string): HTMLElement[] {
  const said = typeof view['text'] === 'string' ? view['text'] : 'input' in view ? pretty(view['input']) : '';
  const code = string(view, 'code');
  if (code !== '') {
    return [el('pre', 'error', said.startsWith(`${code}: `) ? said.slice(code.length + 2) : said)];
  }
  return said === '' ? [] : textLines(said, label, 12);
}

function terminal(view: Members, label: string): HTMLElement[] {
  const parts: HTMLElement[] = [el('pre', 'command', el('b', '', '$ '), string(view, 'command'))];
  if (string(view, 'cwd') !== '') {
    parts.push(el('span', 'cwd', `in ${string(view, 'cwd')}`));
  }
  const output = view['output'];
  if (typeof output === 'string') {
    parts.push(...(output === '' ? [el('p', 'quiet', 'No output.')] : textLines(output, `${label}: output`, 14)));
  }
  return parts;
}

function read(view: Members, label: string): HTMLElement[] {
  const offset = integer(view, 'offset') ?? 1;
  const lines = string(view, 'text').split('\n');
  if (lines.at(-1) === '' && lines.length > (integer(view, 'lines') ?? 0)) {
    lines.pop();
  }
  const cuts = new Map(items(view, 'cutLines').map((cut) => [integer(members(cut), 'line'), members(cut)]));
  const rows = lines.map((line, index) => {
    const cut = cuts.get(offset + index);
    const rest =
      cut === undefined
        ? undefined
        : el('em', '', `${integer(cut, 'shown') ?? '?'} of ${integer(cut, 'total') ?? '?'} characters shown`);
    return el('div', 'l', el('i', '', String(offset + index)), el('code', '', line, rest));
  });
  const parts = rows.length > 0 ? withNumbers(folded(rows, 'code window', label, 6), offset + rows.length) : [];
  const missing = notShown(view, offset, lines.length);
  return missing === '' ? parts : [...parts, el('p', 'quiet', missing)];
}

function notShown(view: Members, offset: number, shown: number): string {
  const total = integer(view, 'totalLines') ?? offset - 1 + shown;
  const before = shown > 0 ? Math.max(offset - 1, 0) : 0;
  const after = Math.max(total - before - shown, 0);
  const sides = [
    ...(before > 0 ? [`${many(before, 'line')} before`] : []),
    ...(after > 0 ? [`${many(after, 'line')} after`] : []),
  ];
  return sides.length === 0 ? '' : `Not shown: ${sides.join(' and ')}.`;
}

function search(view: Members, label: string): HTMLElement[] {
  const rows = items(view, 'hits').map((each) => {
    const hit = members(each);
    const [path, line, column] = [string(hit, 'path'), integer(hit, 'line'), integer(hit, 'column')];
    const place = [path, line, column].filter((part) => part !== undefined).join(':');
    const text = typeof hit['text'] === 'string' ? el('code', 'hit', brief(hit['text'], 400)) : undefined;
    return el('div', 'row', opener(place, path, undefined, line), text);
  });
  return rows.length === 0 ? [el('p', 'quiet', 'Nothing found.')] : folded(rows, 'found', label, 12);
}
