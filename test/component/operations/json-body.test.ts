import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import SchemaForm from '../../../renderer/panes/write/SchemaForm.vue'
import WriteSheet from '../../../renderer/panes/write/WriteSheet.vue'
import WriteMenu from '../../../renderer/panes/write/WriteMenu.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { createPreparedWrite } from '../../support/vue/operations.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { appInfo, createConnectionState } from '../../support/vue/states.ts'

let sheet: VueWrapper | undefined
afterEach(() => {
  sheet?.unmount()
  document.body.innerHTML = ''
})

function open(endpoint: string, values: Record<string, string> = {}) {
  const drafts: CommandDraft[] = []
  installFakeServiceProcess({
    'operations.prepare': (draft) => {
      drafts.push(draft as CommandDraft)
      return createPreparedWrite()
    },
  })
  sheet = mountComponent(WriteSheet, { props: { endpoint, values } })
  return drafts
}
const fieldOf = (name: RegExp): HTMLInputElement => {
  const field = [...document.querySelectorAll<HTMLInputElement>('input,textarea')].find((element) =>
    name.test(document.querySelector(`label[for="${element.id}"]`)?.textContent ?? ''),
  )
  if (!field) throw new Error(`no field ${String(name)}`)
  return field
}
async function type(name: RegExp, text: string): Promise<void> {
  const input = fieldOf(name)
  input.value = text
  input.dispatchEvent(new Event('input'))
  await nextTick()
}
async function turn(to: 'Form' | 'JSON'): Promise<void> {
  getByRole('radio', to).click()
  await flushPromises()
}
const body = /^Body as JSON/
const review = async (): Promise<void> => {
  getByRole('button', 'Review').click()
  await flushPromises()
}
const getText = (): string => document.body.textContent

test('form values are carried over to the JSON and back', async () => {
  const drafts = open('notes.title', { noteid: 'N' })
  await type(/^text/, 'T')
  await turn('JSON')
  expect(JSON.parse(fieldOf(body).value)).toEqual({ text: 'T' })
  expect(getText()).toContain('Matches the contract.')
  // The card is no part of the body: its field stays.
  expect(fieldOf(/^noteid/).value).toBe('N')
  await type(body, '{"text":"New","markdown":true,"more":[1]}')
  expect(getText()).toContain('The contract documents this differently.')
  expect(getText()).toContain('/more is not documented')
  await turn('Form')
  expect(fieldOf(/^text/).value).toBe('New')
  expect(fieldOf(/^noteid/).value).toBe('N')
  await review()
  expect(drafts).toEqual([
    { endpoint: 'notes.title', params: { noteid: 'N' }, query: {}, body: { text: 'New', markdown: true, more: [1] } },
  ])
})

test('a body that breaks the contract is reported and sent as written', async () => {
  const drafts = open('decks.addCards', { deckId: 'D' })
  await turn('JSON')
  const text = '{"noteIds": ["N"], "big": 12345678901234567890}'
  await type(body, text)
  expect(getText()).toContain('/cards is missing (documented as array)')
  expect(getText()).toContain('/noteIds is not documented')
  await review()
  expect(drafts).toEqual([{ endpoint: 'decks.addCards', params: { deckId: 'D' }, query: {}, bodyText: text }])
})

test('invalid JSON is reported with line and column, is not sent, and stays in the editor', async () => {
  const drafts = open('notes.title', { noteid: 'N' })
  await turn('JSON')
  await type(body, '{\n  "text": "T"\n  "markdown": true\n}')
  expect(getText()).toContain('Not valid JSON: line 3, column 3.')
  await review()
  expect(drafts).toEqual([])
  await turn('Form')
  expect(getText()).toContain('this is not valid JSON yet')
  expect(fieldOf(body).value).toContain('"markdown"')
})

test.each([
  ['{"text":"T","n":12345678901234567890}', 'a number too long to keep'],
  ['{"text":"T","text":"U"}', 'a duplicate key'],
  ['["T"]', 'this is not a JSON object'],
])('the form does not take over %s', async (text, why) => {
  open('notes.title', { noteid: 'N' })
  await turn('JSON')
  await type(body, text)
  await turn('Form')
  expect(getText()).toContain(why)
  expect(fieldOf(body).value).toBe(text)
})

test('the form stays if its further members are not JSON', async () => {
  open('notes.title', { noteid: 'N' })
  const more = document.querySelector<HTMLTextAreaElement>('details textarea')
  if (!more) throw new Error('no further members')
  more.value = '{'
  more.dispatchEvent(new Event('input'))
  await turn('JSON')
  expect(findAllByRole('alert').map(({ textContent }) => textContent.trim())).toEqual([
    'Not valid JSON (extra fields must be an object).',
  ])
})

test('a route that only the host lists has no form and is called unknown', async () => {
  const drafts = open('listed POST /notes/{id}/ink/{id}/rotate')
  expect(getText()).toContain('This program doesn’t know this route.')
  expect(findAllByRole('radio')).toEqual([])
  await type(/^id\b(?!-)/, 'N')
  await type(/^id-2/, 'C')
  await type(body, '{"angle":90}')
  await review()
  expect(drafts).toMatchObject([{ params: { id: 'N', 'id-2': 'C' }, bodyText: '{"angle":90}' }])
})

test('an undocumented member is marked and explained', () => {
  const field = { in: 'body', type: 'text', required: false, canBeEmpty: false } as const
  const fields = [
    { ...field, name: 'known' },
    { ...field, name: 'guess', isGuessed: true },
  ] as const
  installFakeServiceProcess({})
  mountComponent(SchemaForm, { props: { endpointId: 'notes.title', fields, errors: {}, modelValue: {} } })
  const marks = [...document.querySelectorAll('.guessed')]
  expect(marks.map(({ textContent }) => textContent)).toEqual(['not documented'])
  expect(marks[0]?.closest('label')?.textContent).toContain('guess')
})

test('routes that only the host lists can be chosen among the writes', async () => {
  const routes = [
    { method: 'POST', path: '/notes/{id}/rotate', requiresMax: true },
    { method: 'GET', path: '/notes/{id}/angle' },
    { method: 'POST', path: '/notes/{id}/title', requiresMax: true },
  ]
  installFakeServiceProcess({
    'bridge.read': () => createReadReply('capabilities.get', JSON.stringify({ routes })),
    'app.info': () => appInfo,
  })
  sheet = mountComponent(WriteMenu)
  useConnection().state = createConnectionState()
  getByRole('button', 'New operation…').click()
  await vi.waitFor(() => {
    const listed = getByRole('group', 'Listed by the host, unknown to this program')
    const items = findAllByRole('menuitem', undefined, listed).map(({ textContent }) => textContent.trim())
    expect(items).toEqual(['POST /notes/{id}/rotate'])
  })
})
