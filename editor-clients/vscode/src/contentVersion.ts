/** The content version of a text: the SHA-256, in hexadecimal, of its logical text in UTF-8. */
import { createHash } from 'node:crypto';

const LONE = /\p{Surrogate}/u;
const HIGH = 0xd800;
const END = 0xe000;

/** The content version of a document's text; VS Code keeps the byte order mark out of it. */
export function contentVersion(text: string): string {
  const logical = (text.startsWith('\ufeff') ? text.slice(1) : text).replaceAll('\r\n', '\n');
  const digest = createHash('sha256');
  digest.update(LONE.test(logical) ? withSurrogates(logical) : logical);
  return digest.digest('hex');
}

/** UTF-8 in which a lone surrogate has its three bytes: Node would write a replacement character. */
function withSurrogates(text: string): Buffer {
  const parts: Buffer[] = [];
  for (const character of text) {
    const code = character.charCodeAt(0);
    const isLone = character.length === 1 && code >= HIGH && code < END;
    parts.push(
      isLone
        ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)])
        : Buffer.from(character),
    );
  }
  return Buffer.concat(parts);
}

