import vueI18n from '@intlify/eslint-plugin-vue-i18n'
import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import globals from 'globals'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['**/*.json', '.github/', 'out/', 'dist/', 'node_modules/', 'test-results/', 'playwright-report/'] },
  // There for a moment, while the desktop app is built.
  { ignores: ['electron.vite.config.ts.*'] },
  ...tseslint.configs.strict,
  ...vue.configs['flat/recommended'],
  ...vueI18n.configs.recommended,
  prettier,
  {
    languageOptions: { globals: { ...globals.node, ...globals.browser }, parserOptions: { parser: tseslint.parser } },
    settings: {
      'vue-i18n': {
        localeDir: {
          pattern: './renderer/i18n/locales/*/*.json',
          localeKey: 'path',
          localePattern: /^.*\/(?<locale>[A-Za-z0-9-]+)\/[^/]+\.json$/,
        },
        messageSyntaxVersion: '^11.0.0',
      },
    },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.vue'],
    rules: {
      'max-lines': ['error', { max: 220, skipBlankLines: true, skipComments: true }],
      'vue/multi-word-component-names': 'off',
      'vue/no-v-html': 'error',
      'vue/require-default-prop': 'off',
      '@intlify/vue-i18n/no-raw-text': [
        'error',
        { ignorePattern: '^[-–—#:·•/()…→←↑↓×+%.,|]+$', ignoreNodes: ['code', 'kbd'] },
      ],
      '@intlify/vue-i18n/no-missing-keys': 'error',
    },
  },
  {
    files: ['shared/**', 'electron/**', 'renderer/**', 'cli/**', 'scripts/**', 'test/**'],
    rules: {
      'max-len': [
        'error',
        {
          code: 200,
          comments: 100,
          ignoreUrls: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignorePattern: 'eslint-disable|@ts-',
        },
      ],
    },
  },
  {
    files: ['shared/**', 'electron/**', 'renderer/**', 'cli/**'],
    rules: {
      // Participles and adverbs that stood for nouns (docs/glossary.md).
      'id-denylist': ['error', 'told', 'taken', 'lasted', 'shaken'],
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'typeLike', format: ['PascalCase'] },
        {
          selector: ['variable', 'parameter', 'function'],
          format: null,
          custom: { regex: '^(MOST|LONGEST|FEW|MANY|ENOUGH|NEAR)(_|$)', match: false },
        },
      ],
    },
  },
  { files: ['scripts/**', 'test/**', 'electron/demo-host/run.ts', 'resources/**'], rules: { 'no-console': 'off' } },
  { files: ['test/**'], rules: { 'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }] } },
  { files: ['**/*.cjs', '**/*.mjs', 'scripts/**'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
)
