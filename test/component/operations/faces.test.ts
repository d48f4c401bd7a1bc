import { computed, h, ref } from 'vue'
import { afterEach, expect, test, vi } from 'vitest'
import type { FormValues } from '../../../shared/forms/command.ts'
import { outside, show } from '../../support/page.ts'

const cards = vi.hoisted(() => ({ items: {} as Record<string, unknown> }))
vi.mock('../../../renderer/stores/cards.ts', () => ({
  useCard: (noteid: () => string | null) => ({
    item: computed(() => cards.items[noteid() ?? ''] ?? null),
    meta: computed(() => (cards.items[noteid() ?? ''] ? { receivedAt: 5 } : null)),
    reload: () => undefined,
  }),
}))
const { useWriteFace } = await import('../../../renderer/panes/write/faces.ts')

afterEach(() => {
  document.body.innerHTML = ''
})

test('another card in the form of a verdict brings its own revision and study set', async () => {
  outside({})
  cards.items = { A: { commentsRevision: 3, topicid: 'S' }, B: { commentsRevision: '9', topicid: 'T' } }
  const values = ref<FormValues>({ noteid: 'A', 'practice.topic': 'S' })
  const Form = {
    setup() {
      const { note } = useWriteFace('notes.practiceVerdict', values)
      return () => h('p', note.value)
    },
  }
  show(Form)
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
