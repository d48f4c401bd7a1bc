import fc from 'fast-check'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createOverrides, getOverridesPath } from '../../../../electron/services/panel/overrides/overrides.ts'
import { parseOverrides, formatOverrides } from '../../../../electron/services/panel/overrides/overrides-text.ts'
import { Redactor } from '../../../../electron/services/redactor.ts'
import { AppError } from '../../../../shared/errors.ts'
import { OVERRIDES_FILE, type OverrideRule, type OverridesState } from '../../../../shared/panel/overrides.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { tokenEncodings } from '../../../support/data/token-encodings.ts'

const createRule = (id: string, more: Partial<OverrideRule> = {}): OverrideRule => ({
  id,
  name: `Rule ${id}`,
  on: true,
  match: { method: 'GET', path: '/notes/{noteid}' },
  answer: { kind: 'canned', status: 200, headers: [], body: '{}', base64: false },
  delayMs: 0,
  ...more,
})

const openOverrides: { close(): void }[] = []
afterEach(() => openOverrides.splice(0).forEach((overrides) => overrides.close()))

function startOverrides(folder = createTempDir()) {
  const redactor = new Redactor()
  redactor.register(TOKEN)
  const states: OverridesState[] = []
  const dataDir = createTempDir()
  const overrides = createOverrides({
    dataDir,
    holdsToken: (text) => redactor.holdsToken(text),
    store: { exchange: () => null, body: () => null },
    onChange: (state) => states.push(state),
  })
  openOverrides.push(overrides)
  overrides.open({ kind: 'folder', path: folder })
  return { overrides, states, folder, dataDir, file: path.join(folder, OVERRIDES_FILE) }
}

function catchErrorCode(act: () => unknown): string | undefined {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return undefined
}

describe('overrides file', () => {
  test('is created with the first rule as readable text, and read by the next program that opens it', () => {
    const { overrides, file, folder } = startOverrides()
    expect(overrides.state()).toEqual({ rules: [], file, problems: [] })
    overrides.save([])
    expect(existsSync(file)).toBe(false)
    // The members arrive in another order, which the file does not keep.
    const { id, ...rest } = createRule('a')
    expect(overrides.save([{ ...rest, id }]).rules).toEqual([createRule('a')])
    expect(readFileSync(file, 'utf8')).toBe(`{
  "version": 1,
  "rules": [
    {
      "id": "a",
      "name": "Rule a",
      "on": true,
      "match": {
        "method": "GET",
        "path": "/notes/{noteid}"
      },
      "answer": {
        "kind": "canned",
        "status": 200,
        "headers": [],
        "body": "{}",
        "base64": false
      },
      "delayMs": 0
    }
  ]
}
`)
    expect(statSync(file).mode & 0o777).toBe(0o644)
    expect(startOverrides(folder).overrides.state().rules).toEqual([createRule('a')])
  })

  test('keeps invalid rules and other members untouched and in their place', () => {
    const folder = createTempDir()
    const file = path.join(folder, OVERRIDES_FILE)
    const invalidRule = '{ "odd":   12345678901234567890,\n "id": "x" }'
    const roundedRule = JSON.stringify({
      ...createRule('big'),
      answer: { kind: 'change', changes: [{ do: 'set', at: '/id', value: 1 }] },
    }).replace('"value":1', '"value":12345678901234567890')
    writeFileSync(
      file,
      `\uFEFF{"$comment": "ours", "version": 1, "rules": [${JSON.stringify(createRule('a'))}, ${invalidRule}, 5, ${JSON.stringify(createRule('b'))}, ${roundedRule}], "more": [1.0]}`,
    )
    const { overrides } = startOverrides(folder)
    expect(overrides.state().rules.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(overrides.state().problems).toEqual([
      { index: 1, message: expect.any(String) },
      { index: 2, message: 'expected an object' },
      { index: 4, message: '/answer/changes/0/value: 12345678901234567890 would be rounded to 12345678901234567000' },
    ])
    overrides.save([createRule('b'), createRule('a'), createRule('c')])
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(invalidRule)
    expect(text).toContain(roundedRule)
    expect(text).toContain('{"$comment": "ours", "version": 1, "rules": [\n    {')
    expect(text).toContain('], "more": [1.0]}')
    const order = (JSON.parse(text) as { rules: unknown[] }).rules.map((entry) =>
      typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : entry,
    )
    expect(order).toEqual(['b', 'x', 5, 'a', 'big', 'c'])
  })

  test('may leave out id, on and delayMs, and may repeat an id', () => {
    const { match, answer } = createRule('a')
    const text = JSON.stringify({
      version: 1,
      rules: [{ name: 'By hand', match, answer }, createRule('a'), createRule('a')],
    })
    const read = parseOverrides(text, () => false)
    if ('damage' in read) throw new Error(read.damage)
    expect(read.rules).toEqual([
      { ...createRule('rule-1'), name: 'By hand' },
      createRule('a'),
      { ...createRule('a'), id: 'a-2' },
    ])
  })

  test.each([
    ['text that is no JSON', '{"version": 1, "rules": ['],
    ['another version', '{"version": 2, "rules": []}'],
    ['a list', '[]'],
    ['JSON nested without limit', `{"version": 1, "rules": [${'['.repeat(5_000)}`],
  ])('is never overwritten if it contains %s', (_, text) => {
    const folder = createTempDir()
    const file = path.join(folder, OVERRIDES_FILE)
    writeFileSync(file, text)
    const { overrides } = startOverrides(folder)
    expect(overrides.state().rules).toEqual([])
    expect(overrides.state().problems).toEqual([{ index: -1, message: expect.any(String) }])
    expect(catchErrorCode(() => overrides.save([createRule('a')]))).toBe('OVERRIDES_DAMAGED')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('is not written if another kind of file is in its place', () => {
    const folder = createTempDir()
    mkdirSync(path.join(folder, OVERRIDES_FILE))
    const { overrides } = startOverrides(folder)
    expect(overrides.state().problems).toEqual([{ index: -1, message: 'it is a directory' }])
    expect(catchErrorCode(() => overrides.save([createRule('a')]))).toBe('OVERRIDES_DAMAGED')
  })

  test('is read again when another program writes, replaces or removes it', async () => {
    const { overrides, states, file } = startOverrides()
    const { signal } = new AbortController()
    const call = { method: 'GET', path: '/notes/N', headers: [], bodyText: null, signal }
    overrides.save([createRule('a')])
    const formatRules = (rules: OverrideRule[]): string => formatOverrides(null, rules, [])
    writeFileSync(file, formatRules([createRule('b')]))
    await vi.waitFor(() => expect(states.at(-1)?.rules).toEqual([createRule('b')]), { timeout: 20_000 })
    writeFileSync(`${file}.new`, formatRules([createRule('c')]))
    renameSync(`${file}.new`, file)
    await vi.waitFor(() => expect(states.at(-1)?.rules).toEqual([createRule('c')]), { timeout: 20_000 })
    expect(await overrides.findRule(call, 1)).toMatchObject({ id: 'c' })
    writeFileSync(file, '{"version"')
    await vi.waitFor(() => expect(states.at(-1)?.problems).toHaveLength(1), { timeout: 20_000 })
    expect(await overrides.findRule(call, 1)).toBeNull()
    rmSync(file)
    await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ rules: [], problems: [] }), { timeout: 20_000 })
  })

  test('keeps its rules while another program empties it to write it anew', async () => {
    const { overrides, states, file } = startOverrides()
    overrides.save([createRule('a')])
    const text = formatOverrides(null, [createRule('b')], [])
    // Each length is another version of the file, as it is while a program writes it in pieces.
    for (let length = 0; length < text.length; length += 8) {
      writeFileSync(file, text.slice(0, length))
      await setTimeout(20)
    }
    writeFileSync(file, text)
    await vi.waitFor(() => expect(states.at(-1)?.rules).toEqual([createRule('b')]), { timeout: 20_000 })
    expect(states.filter(({ problems }) => problems.length > 0)).toEqual([])
  })

  test('is read again even if it changes before the first check', async () => {
    const { file, states } = startOverrides()
    writeFileSync(file, formatOverrides(null, [createRule('b')], []))
    await vi.waitFor(() => expect(states.at(-1)?.rules).toEqual([createRule('b')]))
  })

  test('is not written over a change that another program has just made', () => {
    const { overrides, states, file } = startOverrides()
    overrides.save([createRule('a')])
    const otherText = formatOverrides(null, [createRule('theirs')], [])
    writeFileSync(file, otherText)
    expect(catchErrorCode(() => overrides.save([createRule('mine')]))).toBe('OVERRIDES_CHANGED')
    expect(readFileSync(file, 'utf8')).toBe(otherText)
    expect(states.at(-1)?.rules).toEqual([createRule('theirs')])
    expect(overrides.save([createRule('theirs'), createRule('mine')]).rules).toHaveLength(2)
  })

  test('never contains a token, and a rule with a token is not shown', () => {
    fc.assert(
      fc.property(tokenEncodings, (write) => {
        const { overrides, file, folder } = startOverrides()
        const body = `before ${write(TOKEN)} after`
        const ruleWithToken = createRule('t', {
          answer: { kind: 'canned', status: 200, headers: [], body, base64: false },
        })
        expect(catchErrorCode(() => overrides.save([ruleWithToken]))).toBe('TOKEN_IN_REQUEST')
        expect(existsSync(file)).toBe(false)
        writeFileSync(file, formatOverrides(null, [createRule('a'), ruleWithToken], []))
        const reopened = startOverrides(folder).overrides
        expect(reopened.state()).toMatchObject({
          rules: [createRule('a')],
          problems: [{ index: 1, message: 'it contains a token' }],
        })
        reopened.save([createRule('b')])
        expect(parseOverrides(readFileSync(file, 'utf8'), () => false)).toMatchObject({
          rules: [createRule('b'), ruleWithToken],
        })
      }),
      { numRuns: 20 },
    )
  })

  test('keeps its permissions', () => {
    const { overrides, file } = startOverrides()
    overrides.save([createRule('a')])
    const mode = statSync(file).mode & 0o777
    overrides.save([createRule('b')])
    expect(statSync(file).mode & 0o777).toBe(mode)
  })
})

describe('rules of other panels', () => {
  test('are in the data directory, each in its own file', () => {
    const { overrides, dataDir } = startOverrides()
    const sources = [
      { kind: 'server', url: 'http://127.0.0.1:5173/' },
      { kind: 'server', url: 'http://127.0.0.1:5173/other/../?x=<y>' },
      { kind: 'server', url: 'http://[::1]:5173/' },
      { kind: 'sample', name: 'practice' },
    ] as const
    const files = sources.map((source) => getOverridesPath(dataDir, source))
    expect(new Set(files).size).toBe(sources.length)
    for (const [index, source] of sources.entries()) {
      overrides.open(source)
      overrides.save([createRule('a')])
      expect(path.dirname(files[index] ?? '')).toBe(path.join(dataDir, 'panel-overrides'))
      expect(statSync(files[index] ?? '').mode & 0o777).toBe(0o600)
      expect(path.basename(files[index] ?? '')).toMatch(/^[\w.-]+\.json$/)
    }
  })

  test('need a panel', () => {
    const { overrides } = startOverrides()
    overrides.open(null)
    expect(overrides.state()).toEqual({ rules: [], file: '', problems: [] })
    expect(catchErrorCode(() => overrides.save([createRule('a')]))).toBe('NO_PANEL')
  })
})

test('saved rules are read back unchanged, whatever they are', () => {
  const anyText = fc.string({ maxLength: 20 })
  const anyAction: fc.Arbitrary<OverrideRule['answer']> = fc.oneof(
    fc.record({
      kind: fc.constant('change' as const),
      changes: fc.array(
        fc.record({
          do: fc.constant('set' as const),
          at: anyText.map((text) => `/${text}`),
          value: fc.jsonValue({ maxDepth: 2 }),
        }),
      ),
    }),
    fc.record({
      kind: fc.constant('canned' as const),
      status: fc.integer({ min: 200, max: 599 }),
      headers: fc.constant<[string, string][]>([['X-A', 'b']]),
      body: anyText,
      base64: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('fault' as const), fault: fc.constantFrom('hang' as const, 'cut' as const) }),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyAction, fc.boolean(), fc.nat({ max: 600_000 })), { maxLength: 5 }),
      (ruleParts) => {
        const rules = ruleParts.map(([action, on, delayMs], index) =>
          createRule(`r${index}`, { answer: action, on, delayMs }),
        )
        const text = formatOverrides(null, rules, [])
        const read = parseOverrides(text, () => false)
        expect('damage' in read ? read : JSON.parse(JSON.stringify(read.rules))).toEqual(
          JSON.parse(JSON.stringify(rules)),
        )
      },
    ),
  )
})
