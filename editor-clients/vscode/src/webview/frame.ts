/** One card: an article whose heading says what was done, to what, and how it ended. */
import type { Card } from '../cards/card';
import { body } from './bodies';
import { brief, el, many, plain } from './dom';
import { integer, items, type Members, members, string, strings } from './members';
import { opener } from './opener';

const LINK = /^https?:\/\/[!-~]+$/i;

/** The article of a card. */
export function article(card: Card, number: number): HTMLElement {
  const call = members(card.call);
  const result = card.result === undefined ? undefined : members(card.result);
  const view = result ?? call;
  const state = stateOf(card, view);
  const id = `card-${number}`;
  const heading = el('h2', 'title', el('span', 'tool', brief(card.name)), ' ', subject(view, call));
  heading.id = `${id}-title`;
  const head = el('header', '', heading, ...badges(view, state), el('span', 'about', facts(card, view)));
  const made = el('article', `card ${state.split(' ')[0] ?? ''}`, head);
  made.id = id;
  made.tabIndex = 0;
  made.setAttribute('aria-labelledby', heading.id);
  made.dataset['state'] = state;
  made.dataset['call'] = card.callId;
  made.dataset['kind'] = plain(string(view, 'card'));
  const said = [...warnings(view), ...strings(view, 'notes')];
  if (said.length > 0) {
    made.append(el('ul', 'notes', ...said.map((each) => el('li', '', each))));
  }
  made.append(...body(view, card.name));
  if (result !== undefined && (card.isError || result['card'] === 'generic') && hasBody(call)) {
    made.append(el('details', 'call', el('summary', '', asked(call)), ...body(call, `${card.name}, as called`)));
  }
  return made;
}

function stateOf(card: Card, view: Members): string {
  if (card.result === undefined) {
    return 'running';
  }
  return card.isError ? (view['code'] === 'DENIED' ? 'denied' : 'failed') : 'done';
}

function subject(view: Members, call: Members): HTMLElement | undefined {
  for (const from of [view, call]) {
    const path = string(from, 'path');
    if (path !== '') {
      const uri = string(from, 'uri');
      return opener(path, path, uri === '' ? undefined : uri, lineIn(from));
    }
  }
  const url = string(view, 'url');
  if (LINK.test(url)) {
    const link = el('a', 'subject', url);
    link.href = url;
    return link;
  }
  const named = string(view, 'query') || url || (view['card'] === 'terminal' ? '' : string(view, 'title'));
  return named === '' ? undefined : el('code', 'subject', brief(named));
}

function lineIn(view: Members): number | undefined {
  if (view['card'] === 'read') {
    return integer(view, 'offset');
  }
  const position = members(items(members(items(view, 'diffs')[0]), 'hunks')[0]);
  return integer(position, 'newStart');
}

function badges(view: Members, state: string): HTMLElement[] {
  const made: HTMLElement[] = [];
  if (view['card'] === 'diff') {
    const done = string(view, 'operation') || (state === 'running' ? 'asked for' : 'changed');
    made.push(el('span', `badge ${done.split(' ')[0] ?? ''}`, done), ...counts(view));
  }
  const exit = view['card'] === 'terminal' ? integer(view, 'exitCode') : undefined;
  if (exit !== undefined) {
    made.push(el('span', exit === 0 ? 'badge' : 'badge failed', `exit code ${exit}`));
  }
  if (state !== 'done') {
    made.push(el('span', `badge ${state}`, state));
  }
  const code = string(view, 'code');
  if (code !== '' && code !== 'DENIED') {
    made.push(el('code', 'code-name', code));
  }
  return made;
}

function counts(view: Members): HTMLElement[] {
  const [added, removed] = [integer(view, 'added'), integer(view, 'removed')];
  if (added === undefined || removed === undefined) {
    return [];
  }
  const plus = el('span', 'plus', `+${added}`);
  const minus = el('span', 'minus', `-${removed}`);
  const made = el('span', 'counts', plus, ' ', minus);
  made.setAttribute('role', 'img');
  made.setAttribute('aria-label', `${many(added, 'line')} added, ${many(removed, 'line')} removed`);
  return [made];
}

function facts(card: Card, view: Members): string {
  const said: string[] = card.result === undefined ? [brief(string(view, 'title'))] : [];
  if (view['card'] === 'diff' && typeof view['saved'] === 'boolean') {
    said.push(view['via'] === 'disk' ? 'on disk' : `in the editor's buffer, ${view['saved'] ? 'saved' : 'not saved'}`);
  }
  if (view['card'] === 'read') {
    const [offset, lines, total] = ['offset', 'lines', 'totalLines'].map((name) => integer(view, name) ?? 0);
    said.push(`lines ${offset}\u2013${(offset ?? 0) + (lines ?? 0) - 1} of ${total}`);
    said.push(view['via'] === 'buffer' && view['dirty'] === true ? "editor's buffer, unsaved typing included" : '');
  }
  if (view['card'] === 'search') {
    const least = view['atLeast'] === true ? 'more than ' : '';
    said.push(`${items(view, 'hits').length} of ${least}${many(integer(view, 'total') ?? 0, 'hit')} listed`);
  }
  if (view['card'] === 'web' && integer(view, 'status') !== undefined) {
    said.push(`status ${integer(view, 'status')}`);
  }
  if (view['card'] === 'terminal' && view['exitCode'] === null) {
    said.push('did not end by itself');
  }
  return [...said, card.agent].filter((each) => each !== '').join(' \u00b7 ');
}

/** What a reader must know before believing that a card shows everything. */
function warnings(view: Members): string[] {
  if (view['truncated'] !== true) {
    return [];
  }
  switch (view['card']) {
    case 'diff':
      return ['Too large to be told apart line by line: shown as one block.'];
    case 'terminal':
      return ['The output was cut: not all of it is shown.'];
    case 'web':
      return ['The page was cut: not all of it is shown.'];
    case 'search':
      return ['Not all hits are listed.'];
    default:
      return ['Parts are not shown.'];
  }
}

function hasBody(call: Members): boolean {
  return call['card'] !== 'generic' || 'input' in call;
}

function asked(call: Members): string {
  return call['card'] === 'diff' ? 'Change asked for' : call['card'] === 'terminal' ? 'Command' : 'Arguments';
}
