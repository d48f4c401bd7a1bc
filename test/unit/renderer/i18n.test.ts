import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { warmUpFormatters, pickSystemLocale } from '../../../renderer/i18n/index.ts'
import { joinSentences } from '../../../renderer/model/format/joined-sentences.ts'
import { isRoute } from '../../../renderer/panes/contract-texts.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { createTestTranslator } from '../../support/vue/translator.ts'

const renderer = fileURLToPath(new URL('../../../renderer', import.meta.url))
const localesDir = join(renderer, 'i18n', 'locales')

/** Keys and texts of a language, `shell.nav.label` -> text. */
function messages(locale: string): Map<string, string> {
  const flat = new Map<string, string>()
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) walk(child, path === '' ? key : `${path}.${key}`)
    } else flat.set(path, String(value))
  }
  for (const file of readdirSync(join(localesDir, locale))) {
    walk(JSON.parse(readFileSync(join(localesDir, locale, file), 'utf8')), '')
  }
  return flat
}

function sources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return sources(path)
    return /\.(ts|vue)$/.test(entry.name) ? [readFileSync(path, 'utf8')] : []
  })
}

const en = messages('en')
const zh = messages('zh-CN')
const code = sources(renderer).join('\n')

/** Named and list placeholders of a message. */
const placeholders = (text: string): string[] => [...new Set(text.match(/\{[^{}']+\}/g) ?? [])].sort()

test('formatters are created ahead a few at a time, and only once', () => {
  const translator = createTestTranslator('en')
  const constructorSpies = [vi.spyOn(Intl, 'NumberFormat'), vi.spyOn(Intl, 'DateTimeFormat')]
  const count = (): number => constructorSpies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  let waiting: IdleRequestCallback[] = []
  warmUpFormatters(translator, (work) => waiting.push(work))
  let turns = 0
  while (waiting.length > 0) {
    const works = waiting
    waiting = []
    const before = count()
    for (const work of works) work({ didTimeout: false, timeRemaining: () => 0 })
    expect(count() - before).toBe(1)
    turns += 1
  }
  expect(turns).toBe(9)
  const { n, d } = translator.global
  expect([n(1.25, 'bytes'), n(2, 'decimal'), n(3), d(0, 'day')]).toEqual([
    '1.3',
    '2',
    '3',
    expect.stringMatching(/19(69|70)/),
  ])
  expect(count()).toBe(9)
  vi.restoreAllMocks()
})

describe('translations', () => {
  test('have the same keys in both languages', () => {
    // The endpoint table is in English already.
    const ownKeys = [...zh.keys()].filter((key) => !key.startsWith('contract.'))
    expect(ownKeys.sort()).toEqual([...en.keys()].sort())
  })

  test('cover every row and parameter of the endpoint table in Chinese', () => {
    const usedTexts = new Set<string>()
    const missing = endpoints.flatMap(({ id, parameters }) => {
      const row = id.replaceAll('.', '-')
      return [
        [`contract.summary.${row}`],
        ...parameters.map(({ name }) => [`contract.parameter.${row}-${name}`, `contract.parameter.${name}`]),
        ...parameters
          .filter(({ source = '' }) => source !== '' && !isRoute(source))
          .map(({ name }) => [`contract.source.${row}-${name}`, `contract.source.${name}`]),
      ].filter((keys) => {
        const key = keys.find((candidate) => zh.has(candidate))
        if (key !== undefined) usedTexts.add(key)
        return key === undefined
      })
    })
    expect(missing).toEqual([])
    expect([...zh.keys()].filter((key) => key.startsWith('contract.') && !usedTexts.has(key))).toEqual([])
  })

  test('are joined without a space after full-width punctuation', () => {
    expect(joinSentences(['Read.', '', false, 'Write.'])).toBe('Read. Write.')
    expect(joinSentences(['读取。', '写入。'])).toBe('读取。写入。')
    // A space between two texts in the code stands there in both languages.
    expect(code.match(/.*\) ?\}\}? (\$\{|\{\{ )t\(.*/g)).toBeNull()
  })

  test('use one word for each meaning', () => {
    const retired = {
      en: /\b(Examine|[Ll]ook(ing)? (again|now)|\d looks|What was seen|Written down|not said|to the end|As promised|Further members|Added by the gate|[Gg]aps?|Of the bridge|Bring the|How the token travels|Really|[Ee]poch|[Pp]rofiles?)\b/,
      // A host name and the parts of an address are not the host.
      'zh-CN':
        /主机(?!名|、端口)|约定|应答|回答|能力列表|读回|重新加载|任意|始于|应用已结束|请求标识|请求 id|非 live|Demo library|(?<!插件及其)配置/,
    }
    const left = (texts: Map<string, string>, words: RegExp): string[] =>
      [...texts].filter(([, text]) => words.test(text)).map(([key, text]) => `${key}: ${text}`)
    expect(left(en, retired.en)).toEqual([])
    expect(left(zh, retired['zh-CN'])).toEqual([])
  })

  test('contain no empty text', () => {
    expect([...en, ...zh].filter(([, text]) => text.trim() === '')).toEqual([])
  })

  test('use the same placeholders in both languages', () => {
    const differ = [...en].filter(([key, text]) => placeholders(text).join() !== placeholders(zh.get(key) ?? '').join())
    expect(differ.map(([key]) => key)).toEqual([])
  })

  test('contain no unused key', () => {
    // `t(`shell.phase.${…}`)` and `${prefix}.${…}` use every key with that prefix.
    const families = [...code.matchAll(/`([\w.-]+\.)\$\{/g)].map((match) => match[1] ?? '')
    const unused = [...en.keys()].filter(
      (key) =>
        !code.includes(`'${key}'`) && !code.includes(`"${key}"`) && !families.some((family) => key.startsWith(family)),
    )
    expect(unused).toEqual([])
  })

  test('contain every key that the code names', () => {
    const namedEntries = [
      ...code.matchAll(/\bt\(\s*'([\w.-]+)'/g),
      ...code.matchAll(/(?:Key: '|keypath=")([\w-]+\.[\w.-]+)['"]/g),
    ]
    const missing = namedEntries.map((match) => match[1] ?? '').filter((key) => !en.has(key))
    expect([...new Set(missing)]).toEqual([])
  })
})

test.each([
  [['zh-Hant-TW', 'en'], 'zh-CN'],
  [['de-DE', 'zh-CN'], 'zh-CN'],
  [['de-DE', 'en-GB', 'zh'], 'en'],
  [['fr'], 'en'],
  [[], 'en'],
])('the system language %j selects %s', (languages, expected) => {
  expect(pickSystemLocale(languages)).toBe(expected)
})
