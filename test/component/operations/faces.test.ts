import { computed, h, nextTick, reactive, ref } from 'vue'
import { afterEach, expect, test, vi } from 'vitest'
import { getEndpoint, getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { FormValues } from '../../../renderer/model/forms/command-draft.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { appInfo, createConnectionState } from '../../support/vue/states.ts'

const cards = vi.hoisted(() => ({ items: {} as Record<string, unknown> }))
vi.mock('../../../renderer/stores/cards.ts', () => ({
  useCard: (noteid: () => string | null) =>
    reactive({
      item: computed(() => cards.items[noteid() ?? ''] ?? null),
      meta: computed(() => (cards.items[noteid() ?? ''] ? { receivedAt: 5 } : null)),
      isCurrent: true,
      reload: () => undefined,
    }),
}))
const { useWriteFace } = await import('../../../renderer/panes/write/faces/index.ts')

afterEach(() => {
  document.body.innerHTML = ''
})

test('choosing another card in the verdict form fills in the revision and study set of that card', async () => {
  installFakeServiceProcess({})
  cards.items = { A: { commentsRevision: 3, topicid: 'S' }, B: { commentsRevision: '9', topicid: 'T' } }
  const values = ref<FormValues>({ noteid: 'A', 'practice.topic': 'S' })
  const Form = {
    setup() {
      const { note } = useWriteFace(getEndpoint('notes.practiceVerdict'), values)
      return () => h('p', note.value)
    },
  }
  mountComponent(Form)
  // As the host sent it: a number stays a number.
  expect(values.value['expectedRevision']).toBe(3)
  values.value = { ...values.value, noteid: 'B' }
  await vi.waitFor(() => expect(document.body.textContent).toContain('expectedRevision is 9'))
  expect(values.value).toMatchObject({ expectedRevision: '9', 'practice.topic': 'T' })
  expect(document.body.textContent).not.toContain('has changed')
  values.value = { ...values.value, noteid: 'C' }
  await vi.waitFor(() => expect(document.body.textContent).toContain('The card’s revision is unknown'))
  expect(values.value).toMatchObject({ expectedRevision: '', 'practice.topic': '' })
})

test('the form of hashtags says that a card has none only if the host sent an empty list of them', async () => {
  installFakeServiceProcess({})
  cards.items = { A: { noteid: 'A', hashtags: [] }, B: { noteid: 'B' } }
  const values = ref<FormValues>({ noteIds: 'A' })
  mountComponent({
    setup() {
      const { note } = useWriteFace(getEndpoint('notes.hashtags'), values)
      return () => h('p', note.value)
    },
  })
  expect(document.body.textContent).toContain('The card has no hashtags.')
  values.value = { noteIds: 'B' }
  await nextTick()
  expect(document.body.textContent).toContain('The host sends no list of hashtags with the card.')
})

test('the verdict form offers the comments of the card', () => {
  installFakeServiceProcess({})
  cards.items = {
    A: {
      noteid: 'A',
      texts: [
        { index: 0, noteid: 'A', text: 'own' },
        { index: 2, noteid: 'A-2', kind: 'text', text: 'a longer\ncomment' },
      ],
      bands: [{ physicalNoteId: 'band-1', role: 'practice' }],
    },
  }
  const values = ref<FormValues>({ noteid: 'A' })
  const Form = {
    setup() {
      const { suggestions } = useWriteFace(getEndpoint('notes.practiceVerdict'), values)
      return () => h('p', JSON.stringify(suggestions?.value['commentId']))
    },
  }
  mountComponent(Form)
  expect(JSON.parse(document.body.textContent)).toEqual([
    { value: 'A-2', label: 'A-2 · #2 · text · a longer comment' },
    { value: 'band-1', label: 'band-1 · practice' },
  ])
})

test.each([
  ['notes.title', {}, 'A title'],
  ['notes.text', {}, '😀'.repeat(32)],
  ['notes.comment', { index: '3' }, 'third'],
  ['notes.deleteComment', { index: '9' }, undefined],
  ['notes.comments', {}, undefined],
])('%s fills in the expected prefix from the text that it replaces', (id, more, expected) => {
  installFakeServiceProcess({})
  const texts = [
    { index: 0, text: '😀'.repeat(40) },
    { index: 3, text: 'third' },
  ]
  cards.items = { A: { title: 'A title', texts } }
  const values = ref<FormValues>({ noteid: 'A', ...more })
  mountComponent({
    setup() {
      useWriteFace(getEndpointById(id), values)
      return () => null
    },
  })
  expect(values.value['expectedPrefix']).toBe(expected)
})

test('the form keeps a prefix that the user typed, and fills in none for an unknown card', async () => {
  installFakeServiceProcess({})
  cards.items = { A: { title: 'A title' }, B: { title: '' } }
  const values = ref<FormValues>({ noteid: 'A' })
  mountComponent({
    setup() {
      useWriteFace(getEndpoint('notes.title'), values)
      return () => null
    },
  })
  values.value = { ...values.value, noteid: 'B' }
  await vi.waitFor(() => expect(values.value['expectedPrefix']).toBe(''))
  values.value = { ...values.value, expectedPrefix: 'mine', noteid: 'A' }
  await nextTick()
  expect(values.value['expectedPrefix']).toBe('mine')
})

test('the verdict form uses the causes of error and the tag prefix of the template', async () => {
  const config = { tagPrefix: '#drill', reasons: { careless: 'Careless slip' } }
  installFakeServiceProcess({
    'bridge.read': () => createReadReply('immersive.template', JSON.stringify({ plugins: [{ id: 'p', config }] })),
    'app.info': () => appInfo,
  })
  const values = ref<FormValues>({ noteid: 'A' })
  const Form = {
    setup() {
      const { choices, hints } = useWriteFace(getEndpoint('notes.practiceVerdict'), values)
      return () => h('p', `${hints?.value['self']} ${JSON.stringify(choices.value['reason'])}`)
    },
  }
  mountComponent(Form)
  expect(document.body.textContent).toContain('#practice/<self>')
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(document.body.textContent).toContain('#drill/<self>'))
  expect(document.body.textContent).toContain('[{"value":"careless","label":"careless · Careless slip"}]')
})
