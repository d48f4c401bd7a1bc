import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import AgentWriteDialog from '../../renderer/panes/write/AgentWriteDialog.vue'
import { useAgents } from '../../renderer/stores/agents.ts'
import { useConnection } from '../../renderer/stores/connection.ts'
import type { AgentProposal } from '../../shared/ipc/agents.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'
import { createConnectionState, preparedTitleWrite } from '../support/vue/states.ts'

afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

const ask: AgentProposal = {
  id: 'ask-1',
  at: 1,
  agent: 'Agent Smith',
  prepared: preparedTitleWrite,
}

test('a write proposed by an agent names the agent, and Send works only after the write was visible for a while', async () => {
  vi.useFakeTimers()
  const decided: unknown[] = []
  installFakeServiceProcess({
    'agents.decide': (input: unknown) => {
      decided.push(input)
      return {}
    },
  })
  mountComponent(AgentWriteDialog, { props: { ask, waitingCount: 3 } })
  useConnection().state = createConnectionState()
  await nextTick()
  const dialog = getByRole('dialog', 'Write proposed by an agent')
  expect(dialog.textContent).toContain('Agent: Agent Smith')
  expect(dialog.textContent).toContain('It proposes this write over MCP, and waits.')
  expect(dialog.textContent).toContain('2 more wait.')
  expect(dialog.textContent).toContain('/notes/N1/title')
  const send = getByRole('button', 'Send') as HTMLButtonElement
  send.click()
  expect([send.disabled, decided]).toEqual([true, []])
  vi.advanceTimersByTime(800)
  await nextTick()
  vi.useRealTimers()
  send.click()
  await flushPromises()
  expect(decided).toEqual([{ id: 'ask-1', send: true }])
  getByRole('button', 'Refuse').click()
  await flushPromises()
  expect(decided.at(-1)).toEqual({ id: 'ask-1', send: false })
})

test('safety 65: invisible characters of a proposed write are shown as their codes', async () => {
  installFakeServiceProcess({})
  const hidden = { ...preparedTitleWrite, body: '{"noteid":"N\u3164\u202e1","text":"a\u200bb"}' }
  mountComponent(AgentWriteDialog, { props: { ask: { ...ask, prepared: hidden }, waitingCount: 1 } })
  useConnection().state = createConnectionState()
  await vi.waitFor(() => {
    const text = getByRole('dialog', 'Write proposed by an agent').textContent
    expect(text).toContain('N⟨U+3164⟩⟨U+202E⟩1')
    expect(text).toContain('a⟨U+200B⟩b')
  })
})

test('only the first of several waiting writes is fetched', async () => {
  const read = new Set<string>()
  const page = installFakeServiceProcess({
    'agents.asks': () => ({ asks: [] }),
    'agents.ask': (input: unknown) => {
      const { id } = input as { id: string }
      read.add(id)
      return { ...ask, id }
    },
  })
  mountComponent(AgentWriteDialog, { props: { ask, waitingCount: 1 } })
  const agents = useAgents()
  await flushPromises()
  const publishAsks = (...ids: string[]) =>
    page.push({ topic: 'agents.changed', payload: { asks: ids.map((id) => ({ id, at: 1, agent: 'a' })) } })
  publishAsks('first', 'second')
  await flushPromises()
  publishAsks('first', 'second', 'third')
  await flushPromises()
  expect([agents.shownProposal?.id, ...read]).toEqual(['first', 'first'])
  publishAsks('second', 'third')
  await flushPromises()
  expect([agents.shownProposal?.id, ...read]).toEqual(['second', 'first', 'second'])
  publishAsks()
  await flushPromises()
  expect(agents.shownProposal).toBeNull()
})
