import { openJournal } from '../../../../electron/services/journal/journal.ts'
import { createNotices } from '../../../../electron/services/notices.ts'
import { createBus } from '../../../../electron/services/bus.ts'

/**
 * A process that writes operations endlessly and prints each one after it is written. A test
 * kills it.
 */
const [dataDir = '', from = '0'] = process.argv.slice(2)
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const journal = openJournal({ dataDir, notices: createNotices(createBus()), log })
const createStored = (id: string) => ({
  id,
  endpoint: 'notes.title',
  source: 'sent' as const,
  profileId: 'p',
  profileName: 'P',
  host: 'http://127.0.0.1:1',
  method: 'POST',
  path: '/notes/N/title',
  body: '{}',
  createdAt: Date.now(),
  requestId: null,
  topicid: null,
  noteid: 'N',
  instanceNonce: null,
  caller: null,
})
for (let n = Number(from); ; n += 1) {
  const id = `op-${n}`
  journal.create(createStored(id), { kind: 'intent', at: n })
  process.stdout.write(`i${n}\n`)
  journal.append(id, 1, { kind: 'sent', at: n })
  process.stdout.write(`s${n}\n`)
  await new Promise((resolve) => setImmediate(resolve))
}
