/**
 * Characters that a reader would not see, made visible: what is shown is all that there is.
 *
 * The same set, written the same way, as `dsh_tools/visible.py`; a test compares the two. Runs in the extension host
 * and in the webview.
 */
const LAST_OF_PLANES = Array.from({ length: 16 }, (_, plane) => {
  const last = ((plane + 1) * 0x10000 + 0xfffe).toString(16);
  return `\\u{${last}}\\u{${last.slice(0, -1)}f}`;
}).join('');

const HIDDEN = new RegExp(
  '(?:\\x1b\\[[0-?]{0,64}[ -/]{0,8}[@-~]' +
    '|[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f' +
    '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f' +
    '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f' +
    '\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ufdd0-\\ufdef\\ufffe\\uffff\\ufe00-\\ufe0d\\ud800-\\udfff' +
    `\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}${LAST_OF_PLANES}]` +
    '|(?<![\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2190-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}])' +
    '[\\ufe0e\\ufe0f])+',
  'gu',
);

const CONTROLS = (
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI ' +
  'DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'
).split(' ');

/** A piece of a text as it is shown. */
export interface Piece {
  readonly shown: string;
  /** It stands for characters that would not be seen. */
  readonly hidden: boolean;
}

/** A text as it is shown, in pieces. */
export function* pieces(text: string): Generator<Piece> {
  let at = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > at) {
      yield { shown: text.slice(at, found.index), hidden: false };
    }
    yield { shown: written(found[0]), hidden: true };
    at = found.index + found[0].length;
  }
  if (at < text.length) {
    yield { shown: text.slice(at), hidden: false };
  }
}

/** A text as it is shown, in one piece. */
export function visible(text: string): string {
  return text.replace(HIDDEN, written);
}

/** The same for a place that has one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '\u27e8LF\u27e9').replaceAll('\t', '\u27e8TAB\u27e9');
}

function written(hidden: string): string {
  return Array.from(hidden, name).join('');
}

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) {
    return character; // of an escape sequence
  }
  const known = code < 0x20 ? CONTROLS[code] : code === 0x7f ? 'DEL' : undefined;
  return `\u27e8${known ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}\u27e9`;
}
