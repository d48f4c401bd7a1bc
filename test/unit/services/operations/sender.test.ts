import { expect, test } from 'vitest'
import type { Connection } from '../../../../electron/services/bridge/connection/connection.ts'
import { getConnectedHost } from '../../../../electron/services/bridge/connection/connected-host.ts'
import type { BridgeClient, SendResult } from '../../../../electron/services/bridge/types.ts'
import { OperationRecords } from '../../../../electron/services/operations/records/records.ts'
import { prepareCommand } from '../../../../electron/services/operations/send/prepared-command.ts'
import { CommandSender } from '../../../../electron/services/operations/send/sender.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { openTestJournal } from '../../../support/services/journal.ts'
import { createServiceEnvironment } from '../../../support/services/service-environment.ts'
import { createTarget } from '../../../support/services/test-client.ts'

test('a write whose response cannot be judged ends as unknown, with its reason', async () => {
  const { bus, log, lines } = createServiceEnvironment()
  const target = createTarget('http://127.0.0.1:4321/bridge/v1', { isReadOnly: false })
  const connection = {
    target: () => target,
    state: () => ({ profile: { id: 'p', name: 'P', demo: false }, host: null, phase: 'online' }),
    capabilities: () => null,
  } as unknown as Connection
  const circular: Record<string, unknown> = { persisted: true }
  circular['self'] = circular
  const response: SendResult = {
    kind: 'answer',
    status: 200,
    value: circular,
    isTruncated: false,
    exchangeId: 'x',
    durationMs: 1,
    retryAfterSeconds: null,
  }
  const client = {
    sendOnce: () => Promise.resolve(response),
    requestJson: () => Promise.reject(new Error('no read')),
  } as unknown as BridgeClient
  const { journal } = openTestJournal(createTempDir())
  const records = new OperationRecords({ journal, bus, onUnwritten: () => undefined })
  const sender = new CommandSender({ client, connection, records, log, conceal: (text) => text })
  const draft = { endpoint: 'notes.title', params: { noteid: 'N' }, query: {}, body: { text: 'T' } }
  const record = await sender.send(prepareCommand(draft, target, null), getConnectedHost(connection))
  expect([record.state, record.events.map(({ kind }) => kind)]).toEqual([
    'unknown-no-answer',
    ['intent', 'read-back', 'sent', 'failure'],
  ])
  expect(record.events.at(-1)).toMatchObject({ reached: 'maybe', error: { code: 'INTERNAL' } })
  expect(lines.join('\n')).toContain('circular')
})
