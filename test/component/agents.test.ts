import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import AgentDialog from '../../renderer/panes/write/AgentDialog.vue'
import { useConnection } from '../../renderer/stores/connection.ts'
import type { AgentAsk } from '../../shared/ipc/agents.ts'
import { byRole, outside, show } from '../support/page.ts'
import { connection, prepared } from '../support/states.ts'

afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

const ask: AgentAsk = {
  id: 'ask-1',
  at: 1,
  agent: 'Agent Smith',
  prepared,
}

test('a write of an agent says who proposes it, and is sent only after it could be seen', async () => {
  vi.useFakeTimers()
  const decided: unknown[] = []
  outside({
    'agents.decide': (input: unknown) => {
      decided.push(input)
      return {}
    },
  })
  show(AgentDialog, { props: { ask, waiting: 3 } })
  useConnection().state = connection()
  await nextTick()
  const dialog = byRole('dialog', 'Write proposed by an agent')
  expect(dialog.textContent).toContain('Agent Smith, an agent (MCP), proposes this write, and waits.')
  expect(dialog.textContent).toContain('2 more wait.')
  expect(dialog.textContent).toContain('/notes/N1/title')
  const send = byRole('button', 'Send') as HTMLButtonElement
  send.click()
  expect([send.disabled, decided]).toEqual([true, []])
  vi.advanceTimersByTime(800)
  await nextTick()
  vi.useRealTimers()
  send.click()
  await flushPromises()
  expect(decided).toEqual([{ id: 'ask-1', send: true }])
  byRole('button', 'Refuse').click()
  await flushPromises()
  expect(decided.at(-1)).toEqual({ id: 'ask-1', send: false })
})
