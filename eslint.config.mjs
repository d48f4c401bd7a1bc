import path from 'node:path'
import vueI18n from '@intlify/eslint-plugin-vue-i18n'
import prettier from 'eslint-config-prettier'
import regexp from 'eslint-plugin-regexp'
import vue from 'eslint-plugin-vue'
import globals from 'globals'
import tseslint from 'typescript-eslint'

// Participles, adverbs and pronouns that stood for nouns, and limits without a unit
// (docs/glossary.md).
const DENIED_WORDS =
  'told|said|saying|one|ones|of|given|taken|lasted|lasting|shaken|most|least|what|who|whom|whose|how|here|there|where|' +
  'found|kept|asked|asks|shown|seen|made|known|sent|at|both|own|whole|again|gone|held|wanted|named|written|drawn|none|' +
  'nothing|such|alone|once|waits|things|thing|way|ways|away|about|every|each|same|many|few|enough|near|far|so|then|still|' +
  'already|else'
const DENIED_NAMES = `^_?(${DENIED_WORDS})$|[aA]nswer|^(MOST|LONGEST|FEW|MANY|ENOUGH|NEAR)(_|$)`

// Pairs, indices, coordinates, colour channels, and what vue-i18n's functions are called everywhere.
const SINGLE_LETTERS = [...'abdghijknrtwxyz_$']

const lineLengths = {
  code: 200,
  comments: 100,
  ignoreUrls: true,
  ignoreStrings: true,
  ignoreTemplateLiterals: true,
  ignoreRegExpLiterals: true,
  ignorePattern: 'eslint-disable|@ts-',
}

/** A file is named after its main export: a component in PascalCase, anything else in kebab-case. */
const fileNameRule = {
  meta: { type: 'problem', messages: { name: 'Name this file in {{style}}, and by a noun.' } },
  create: (context) => ({
    Program(node) {
      const name = path.basename(context.filename).replace(/(\.(test|spec|config|d|worker|web|electron))?\.\w+$/, '')
      const isComponent = context.filename.endsWith('.vue')
      const style = isComponent ? 'PascalCase' : 'kebab-case'
      const pattern = isComponent ? /^[A-Z][A-Za-z0-9]*$/ : /^[a-z0-9]+(-[a-z0-9]+)*$|^zh-CN$/
      if (!pattern.test(name) || new RegExp(DENIED_NAMES).test(name))
        context.report({ node, messageId: 'name', data: { style } })
    },
  }),
}

const MAX_COMPONENT_LINES = 220

/** `max-lines` for a component: its styles, comments and empty lines are not counted. */
const componentLinesRule = {
  meta: {
    type: 'suggestion',
    messages: { lines: 'This component has {{count}} lines besides its styles, more than {{max}}.' },
  },
  create: (context) => ({
    Program(node) {
      const { text } = context.sourceCode
      let code = ''
      let end = 0
      for (const { range } of context.sourceCode.getAllComments()) {
        code += text.slice(end, range[0])
        end = range[1]
      }
      code += text.slice(end)
      const lines = code.replace(/^<style[^]*?^<\/style>/gm, '').split('\n')
      const count = lines.filter((line) => line.trim() !== '').length
      if (count > MAX_COMPONENT_LINES)
        context.report({ node, messageId: 'lines', data: { count, max: MAX_COMPONENT_LINES } })
    },
  }),
}

const PREDICATE =
  /^_?(is|has|can|should|are|was|did|does|must|needs|may|accepts|allows|expects|keeps|names|takes|uses|includes|with)[A-Z]|^[A-Z0-9_]+$/
const MEASURES = 'timeout|delay|interval|duration|age|size|width|height|length|limit|edge|wait|period|lifetime'
/** A name that ends with a measure: `READ_TIMEOUT` or `readTimeout`, but not `percentage`. */
const isMeasure = (name) =>
  new RegExp(`(^|_)(${MEASURES})$`).test(name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase())

const isBooleanType = (node) => node?.typeAnnotation?.type === 'TSBooleanKeyword'
const isBooleanValue = (node) =>
  (node?.type === 'Literal' && typeof node.value === 'boolean') ||
  (node?.type === 'UnaryExpression' && node.operator === '!') ||
  (node?.type === 'BinaryExpression' && /^([!=]==|[<>]=?|in|instanceof)$/.test(node.operator))
const isNumber = (node) =>
  (node?.type === 'Literal' && typeof node.value === 'number') ||
  (node?.type === 'BinaryExpression' && isNumber(node.left) && isNumber(node.right))

/**
 * Variables, parameters and class members that are declared as a boolean are predicates, and a
 * numeric constant ends with its unit. Members of types are the contract's, or props.
 */
const declaredNameRule = {
  meta: {
    type: 'problem',
    messages: {
      boolean: 'Name this boolean by a predicate: {{name}} could be anything.',
      unit: 'End the name of this constant with its unit, such as _MS, _BYTES, _CHARS or _PX.',
    },
  },
  create(context) {
    const checkBoolean = (node, name) => {
      if (!PREDICATE.test(name)) context.report({ node, messageId: 'boolean', data: { name } })
    }
    return {
      VariableDeclarator({ id, init, parent }) {
        if (id.type !== 'Identifier') return
        if (isBooleanType(id.typeAnnotation) || isBooleanValue(init)) checkBoolean(id, id.name)
        if (parent.kind === 'const' && isNumber(init) && isMeasure(id.name)) {
          context.report({ node: id, messageId: 'unit' })
        }
      },
      PropertyDefinition({ key, value, typeAnnotation }) {
        if (isBooleanType(typeAnnotation) || isBooleanValue(value)) checkBoolean(key, key.name)
      },
      ':function > Identifier.params'(node) {
        if (isBooleanType(node.typeAnnotation)) checkBoolean(node, node.name)
      },
    }
  },
}

/** What is written in place of a member or an element is written as one. */
const literalSpreads = ['ObjectExpression', 'ArrayExpression'].map((literal) => ({
  selector: `:matches(ObjectExpression, ArrayExpression) > SpreadElement > ${literal}`,
  message: 'Write the members of this literal one by one, without a spread.',
}))

const exportedArrow = {
  selector:
    'ExportNamedDeclaration > VariableDeclaration > VariableDeclarator:not([id.typeAnnotation]) > ArrowFunctionExpression',
  message: 'Declare an exported function with `function`.',
}

export default tseslint.config(
  { ignores: ['**/*.json', '.github/', 'out/', 'dist/', 'node_modules/', 'test-results/', 'playwright-report/'] },
  // What only the test of the declarations compiles.
  { ignores: ['test/**/*.fixture.mts'] },
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
    plugins: { component: { rules: { 'max-lines': componentLinesRule } } },
    rules: {
      'max-lines': 'off',
      'component/max-lines': 'error',
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
    files: ['shared/**', 'electron/**', 'renderer/**', 'cli/**', 'testing/**', 'scripts/**', 'test/**'],
    rules: { 'max-len': ['error', lineLengths] },
  },
  // The same for templates, whose comments the rule of ESLint does not see.
  {
    files: ['renderer/**/*.vue'],
    rules: { 'max-len': 'off', 'vue/max-len': ['error', { ...lineLengths, template: 200 }] },
  },
  {
    files: ['shared/**', 'electron/**', 'renderer/**', 'cli/**', 'testing/**', 'scripts/**', 'test/**'],
    plugins: { project: { rules: { 'file-name': fileNameRule, 'declared-name': declaredNameRule } } },
    rules: {
      'project/file-name': 'error',
      // As members of objects, too.
      'id-denylist': ['error', 'told', 'taken', 'lasted', 'shaken'],
      'id-length': ['error', { properties: 'never', exceptions: SINGLE_LETTERS }],
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'typeLike', format: ['PascalCase'] },
        {
          selector: ['variable', 'parameter', 'function', 'classMethod', 'classProperty', 'typeMethod'],
          format: null,
          custom: { regex: DENIED_NAMES, match: false },
        },
        // The name belongs to the object that is taken apart, such as a message of the contract.
        { selector: ['variable', 'parameter'], modifiers: ['destructured'], format: null },
      ],
    },
  },
  {
    files: ['shared/**', 'electron/**', 'renderer/**', 'cli/**', 'testing/**', 'scripts/**'],
    rules: {
      'project/declared-name': 'error',
      'no-restricted-syntax': ['error', ...literalSpreads, exportedArrow],
      'vue/no-restricted-syntax': ['error', ...literalSpreads],
    },
  },
  {
    files: ['renderer/**', 'test/**'],
    ignores: ['renderer/stores/define-store.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'pinia',
          importNames: ['defineStore'],
          message: 'Pinia’s own would keep the component that used the store first: take that of define-store.ts.',
        },
      ],
    },
  },
  // Foreign text must not make a regular expression run for longer than its length allows.
  {
    files: ['shared/**', 'electron/**', 'renderer/**', 'cli/**', 'testing/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true }],
      'id-denylist': ['error', 'told', 'said', 'taken', 'lasted', 'shaken'],
    },
  },
  { files: ['scripts/**', 'test/**', 'electron/demo-host/run.ts', 'resources/**'], rules: { 'no-console': 'off' } },
  { files: ['test/**'], rules: { 'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }] } },
  { files: ['**/*.cjs', '**/*.mjs', 'scripts/**'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    // Generated declarations: a request without parameters has an object without members.
    files: ['resources/bridge.d.ts'],
    rules: { 'max-lines': 'off', '@typescript-eslint/no-empty-object-type': 'off' },
  },
)
