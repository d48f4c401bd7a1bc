import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import OverridesButton from '../../../renderer/places/panel/overrides/OverridesButton.vue'
import { useOverrides } from '../../../renderer/stores/overrides.ts'
import { AppError } from '../../../shared/errors.ts'
import type { OverrideRule, OverridesState } from '../../../shared/panel/overrides.ts'
import { createExchangeRow } from '../../support/vue/exchanges.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  pressKey,
  mountComponent,
  type FakeServiceProcess,
} from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const rule = (id: string, more: Partial<OverrideRule> = {}): OverrideRule => ({
  id,
  name: `Rule ${id}`,
  on: true,
  match: { method: 'GET', path: '/notes/{noteid}' },
  answer: { kind: 'fault', fault: 'hang' },
  delayMs: 0,
  ...more,
})
const saved = (page: FakeServiceProcess): OverrideRule[] | undefined => {
  const last = page.calls.filter(({ method }) => method === 'panel.saveOverrides').at(-1)
  return (last?.input as { rules: OverrideRule[] } | undefined)?.rules
}

/** A service process that keeps what it is given. */
function start(state: Partial<OverridesState>, refuse?: AppError) {
  let now: OverridesState = { rules: [], file: '/panel/bridge-overrides.json', problems: [], ...state }
  return installFakeServiceProcess({
    'panel.overrides': () => now,
    'panel.ruleFrom': () => rule('again'),
    'panel.saveOverrides': (input) => {
      if (refuse) throw refuse
      return (now = { ...now, rules: (input as { rules: OverrideRule[] }).rules })
    },
    'traffic.find': () => ({
      meta: { total: 3, newest: 3, incomplete: false, scattered: false },
      bytes: Uint32Array.from([3, 2, 1]).buffer,
    }),
    'traffic.rows': () => ({
      rows: [3, 2, 1].map((seq) =>
        createExchangeRow({
          seq,
          id: `id-${seq}`,
          method: 'GET',
          path: seq === 3 ? '/notes/N1?full=1' : `/study-sets/S${seq}/cards`,
          template: seq === 3 ? '/notes/{noteid}' : '/study-sets/{topicid}/cards',
        }),
      ),
    }),
    'traffic.body': () => ({
      meta: { start: 0, kept: 30 },
      bytes: new TextEncoder().encode('{"title":"A","tags":["x","y"]}').buffer,
    }),
  })
}

async function open(locale: 'en' | 'zh-CN' = 'en'): Promise<void> {
  mountComponent(OverridesButton, { locale })
  await flushPromises()
  getByRole('button', /^(Overrides|覆盖)/).click()
  await vi.waitFor(() => expect(findAllByRole('dialog')).toHaveLength(1))
  await flushPromises()
}
async function type(element: HTMLElement, value: string): Promise<void> {
  if (!(element instanceof HTMLInputElement) && !(element instanceof HTMLTextAreaElement)) throw new Error('no field')
  element.value = value
  element.dispatchEvent(new Event('input', { bubbles: true }))
  await flushPromises()
}
async function click(name: string | RegExp, index = 0): Promise<void> {
  const button = findAllByRole('button', name)[index]
  if (!button) throw new Error(`no button ${String(name)}`)
  button.click()
  await flushPromises()
}

test('the button counts the enabled rules and the invalid entries of the file', async () => {
  start({ rules: [rule('a'), rule('b', { on: false })], problems: [{ index: 2, message: 'expected an object' }] })
  mountComponent(OverridesButton)
  await vi.waitFor(() => expect(getByRole('button').textContent).toMatch(/Overrides\s*1\/2\s*1 problem/))
})

test('rules are listed in order with their matches, and can be switched, moved, duplicated, deleted and restored', async () => {
  const page = start({ rules: [rule('a'), rule('b', { match: { method: '*', path: '/study-sets/*' } })] })
  await open()
  await vi.waitFor(() => expect(document.body.textContent).toContain('Matches 2 of the last 3 calls'))
  expect(document.body.textContent).toContain('Matches 1 of the last 3 calls')
  expect(document.body.textContent).toContain('/panel/bridge-overrides.json')
  findAllByRole('switch', 'Use “Rule a”')[0]?.click()
  await flushPromises()
  expect(saved(page)?.map(({ id, on }) => [id, on])).toEqual([
    ['a', false],
    ['b', true],
  ])
  await click('Move down')
  expect(saved(page)?.map(({ id }) => id)).toEqual(['b', 'a'])
  await click('Duplicate')
  expect(saved(page)?.map(({ name, on }) => [name, on])).toEqual([
    ['Rule b', true],
    ['Copy of Rule b', false],
    ['Rule a', false],
  ])
  await click('Delete')
  expect(saved(page)?.map(({ name }) => name)).toEqual(['Copy of Rule b', 'Rule a'])
  expect(getByRole('status', /Deleted/).textContent).toContain('Deleted “Rule b”.')
  await click('Undo')
  expect(saved(page)?.map(({ name }) => name)).toEqual(['Rule b', 'Copy of Rule b', 'Rule a'])
  expect(document.body.textContent).not.toContain('Deleted')
})

test('a new rule changes the response at a JSON pointer', async () => {
  const page = start({})
  await open()
  expect(document.body.textContent).toContain('No rules yet')
  await click('Add rule')
  await type(getByRole('combobox', 'Path'), '/notes/{noteid}')
  await vi.waitFor(() => expect(document.body.textContent).toContain('Matches 1 of the last 3 calls'))
  await vi.waitFor(() => expect(document.body.textContent).toContain('The pointers offered are from the last call'))
  await type(getByRole('combobox', 'JSON pointer'), 'title')
  await type(getByRole('textbox', 'Value'), 'plain')
  await click('Save')
  expect(getByRole('alert').textContent).toContain('Change 1: a JSON pointer is empty or begins with a slash.')
  await type(getByRole('combobox', 'JSON pointer'), '/title')
  expect(getByRole('alert').textContent).toContain('Change 1: the value is not JSON. Text needs quotes.')
  await type(getByRole('textbox', 'Value'), '12345678901234567890')
  expect(getByRole('alert').textContent).toContain('would be rounded')
  await type(getByRole('textbox', 'Value'), '"Other"')
  await click('Save')
  expect(saved(page)).toEqual([
    {
      id: expect.any(String),
      name: 'GET /notes/{noteid}',
      on: true,
      match: { method: 'GET', path: '/notes/{noteid}' },
      answer: { kind: 'change', changes: [{ do: 'set', at: '/title', value: 'Other' }] },
      delayMs: 0,
    },
  ])
  await vi.waitFor(() => expect(findAllByRole('switch')).toHaveLength(1))
})

test('the form limits a rule to a member of the body and to the first time', async () => {
  const page = start({})
  await open()
  await click('Add rule')
  await type(getByRole('combobox', 'Path'), '/notes/{noteid}')
  await type(getByRole('textbox', /^Body has/), 'noteid = "N1"')
  const times = document.querySelector<HTMLSelectElement>('select[aria-label="Times"]')
  if (!times) throw new Error('no select')
  times.value = 'first'
  times.dispatchEvent(new Event('change', { bubbles: true }))
  await click('Remove change 1')
  await click('Save')
  expect(getByRole('alert').textContent).toContain('Line 1 of the body’s members has no JSON pointer')
  await type(getByRole('textbox', /^Body has/), '/noteid = "N1"\n/self')
  await click('Save')
  expect(saved(page)).toMatchObject([
    {
      match: {
        method: 'GET',
        path: '/notes/{noteid}',
        body: [{ at: '/noteid', equals: 'N1' }, { at: '/self' }],
        nth: 1,
      },
      answer: { changes: [] },
    },
  ])
  await vi.waitFor(() => expect(document.body.textContent).toContain('/noteid = "N1", /self, only no. 1'))
})

test('an edited rule keeps its id, and unsaved input survives a failed save', async () => {
  const refuse = new AppError({ kind: 'refused', code: 'OVERRIDES_CHANGED', message: 'changed', retryable: false })
  const page = start(
    { rules: [rule('a', { answer: { kind: 'fault', fault: 'rate-limit', retryAfterSeconds: 9 } })] },
    refuse,
  )
  await open()
  await click(/^Rule a/)
  await type(getByRole('textbox', 'Name'), 'Renamed')
  await click('Save')
  expect(saved(page)).toMatchObject([{ id: 'a', name: 'Renamed', answer: { retryAfterSeconds: 9 } }])
  expect(getByRole('alert').textContent).toContain('The rules could not be saved')
  expect((getByRole('textbox', 'Name') as HTMLInputElement).value).toBe('Renamed')
})

test('a rule drafted from an exchange has no effect until it is saved, and closing its form discards it', async () => {
  const page = start({ rules: [rule('a')] })
  mountComponent(OverridesButton)
  await flushPromises()
  const draft = async (): Promise<void> => {
    await useOverrides().draftRuleFromExchange(3)
    await vi.waitFor(() => expect(findAllByRole('textbox', 'Name')).toHaveLength(1))
  }
  await draft()
  expect((getByRole('textbox', 'Name') as HTMLInputElement).value).toBe('Rule again')
  pressKey(getByRole('textbox', 'Name'), 'Escape', { code: 'Escape' })
  await vi.waitFor(() => expect(document.querySelector('[role="dialog"]')).toBeNull())
  expect(saved(page)).toBeUndefined()
  await click(/^Overrides/)
  expect(findAllByRole('switch')).toHaveLength(1)
  await click('Add rule')
  const name = getByRole('textbox', /^Name/) as HTMLInputElement
  expect(name.value).toBe('')
  pressKey(name, 'Escape', { code: 'Escape' })
  await vi.waitFor(() => expect(document.querySelector('[role="dialog"]')).toBeNull())
  await draft()
  await click('Save')
  expect(saved(page)?.map(({ id, on }) => [id, on])).toEqual([
    ['again', true],
    ['a', true],
  ])
})

test('entries of the file that are not rules are reported', async () => {
  start({ problems: [{ index: 1, message: 'expected an object' }] })
  await open()
  expect(getByRole('alert').textContent).toContain('Entry 2: expected an object. It stays in the file as it is.')
})

test('the editor is translated into Chinese', async () => {
  start({ rules: [rule('a')], problems: [{ index: -1, message: 'it is not JSON' }] })
  await open('zh-CN')
  expect(document.body.textContent).toContain('无法使用该文件')
  expect(document.body.textContent).toContain('无响应')
})
