// ESLint's rules for the JavaScript of the pages, the boards and their browser tests. `tsconfig.json` checks the types.

import js from '@eslint/js';
import globals from 'globals';

const NODE_AND_BROWSER = { ...globals.node, ...globals.browser };

export default [
  { ignores: ['target/**', '**/node_modules/**', 'server/tests/clients/**', 'clients/**', 'python/**'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { eqeqeq: 'error', 'no-var': 'error', 'prefer-const': 'error' },
  },
  // The functions that a test hands to the browser refer to the browser's globals.
  { files: ['server/tests/browser/**', 'engines/src/games/*/tests/*.js'], languageOptions: { globals: NODE_AND_BROWSER } },
  // The interpreter of the template gives the bot its next line.
  { files: ['templates/javascript/**'], languageOptions: { globals: { readLine: 'readonly' } } },
  { files: ['eslint.config.js'], languageOptions: { globals: globals.node } },
];
