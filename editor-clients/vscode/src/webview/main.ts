/**
 * The feed of cards. It follows the newest one while the reader is at its end; otherwise it stays where it is.
 *
 * Keys: Tab goes through cards and what is in them, Page Up and Page Down from card to card, as in any feed.
 */
import type { Card, ToPage } from '../cards/card';
import { el } from './dom';
import { article } from './frame';
import { tell } from './telling';

const NEAR = 48;
const MOST = 300;

const feed = byId('cards');
const shown = new Map<string, { element: HTMLElement; number: number }>();
let last = 0;

window.addEventListener('message', (event: MessageEvent<ToPage>) => {
  const message = event.data;
  if (message.type === 'show') {
    showAll(message.cards, message.heading, message.notes);
  } else {
    following(() => show(message.card));
  }
  byId('empty').hidden = shown.size > 0;
});

feed.addEventListener('keydown', (event) => {
  const step = event.key === 'PageDown' ? 1 : event.key === 'PageUp' ? -1 : 0;
  const cards = [...feed.children] as HTMLElement[];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = step === 0 ? undefined : cards[at + step];
  if (next !== undefined) {
    event.preventDefault();
    next.focus();
  }
});

tell({ type: 'ready' });

function showAll(cards: readonly Card[], heading: string, notes: readonly string[]): void {
  byId('heading').textContent = heading;
  const list = byId('notes');
  list.replaceChildren(...notes.map((note) => el('li', '', note)));
  list.hidden = notes.length === 0;
  feed.setAttribute('aria-busy', 'true');
  feed.replaceChildren();
  shown.clear();
  cards.forEach(show);
  feed.setAttribute('aria-busy', 'false');
  if (notes.length === 0) {
    document.documentElement.scrollTop = document.documentElement.scrollHeight; // a replay begins at its beginning
  }
}

function show(card: Card): void {
  const key = JSON.stringify([card.sessionId, card.callId]);
  const before = shown.get(key);
  const number = before?.number ?? (last += 1);
  const element = article(card, number);
  element.setAttribute('aria-posinset', String(number));
  element.setAttribute('aria-setsize', '-1');
  if (before === undefined) {
    feed.append(element);
  } else {
    const hadFocus = document.activeElement === before.element;
    before.element.replaceWith(element);
    if (hadFocus) {
      element.focus();
    }
  }
  shown.set(key, { element, number });
  for (const [oldest, { element: gone }] of shown) {
    if (shown.size <= MOST) {
      break;
    }
    gone.remove();
    shown.delete(oldest);
  }
}

function following(change: () => void): void {
  const page = document.documentElement;
  const isAtEnd = page.scrollHeight - page.scrollTop - page.clientHeight < NEAR;
  change();
  if (isAtEnd) {
    page.scrollTop = page.scrollHeight;
  }
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no #${id}`);
  }
  return found;
}
