// Two bundles: what runs in the extension host, and what runs in the webview.
import { build } from 'esbuild';

const common = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' };

await Promise.all([
  build({
    ...common,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['vscode'],
  }),
  build({
    ...common,
    entryPoints: ['src/webview/main.ts'],
    outfile: 'dist/webview.js',
    platform: 'browser',
    target: 'chrome130',
    format: 'iife',
  }),
]);
