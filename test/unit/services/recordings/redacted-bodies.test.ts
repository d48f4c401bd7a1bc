import { expect, it } from 'vitest'
import { RecordingRedaction } from '../../../../electron/services/recordings/redaction/recording-redaction.ts'
import { readContent } from '../../../../electron/recording-file/pieces.ts'
import { DEFAULT_REDACTION, type SnapshotLine } from '../../../../shared/recordings/recording.ts'
import { collect } from '../../../support/data/collect.ts'
import { createRecordedExchange, createRecordingSource, getBodyName } from '../../../support/data/recordings.ts'

const BODY = JSON.stringify({ title: 'Vertebra', token: `mnb0.${'k'.repeat(20)}` })

it('reads and counts a body once, and makes a new one again that waits no longer', async () => {
  let loads = 0
  const redaction = new RecordingRedaction({
    ...{ policy: DEFAULT_REDACTION, tokens: [] },
    loadBody: (name) => {
      loads += 1
      return Promise.resolve(name === getBodyName(BODY) ? Buffer.from(BODY) : null)
    },
  })
  const exchange = createRecordedExchange(1, BODY)
  await redaction.learn(() => [exchange])
  const { responseBody } = await redaction.redactExchange(exchange)
  const counted = redaction.getPreview()
  const load = async (): Promise<string> => {
    const content = await redaction.loadBody(responseBody ?? '')
    return content === null ? '' : (await readContent(content)).toString()
  }
  const text = await load()
  expect(getBodyName(text)).toBe(responseBody)
  // It is short enough to be searched for credentials.
  expect(loads).toBe(2)
  expect(redaction.getPreview()).toEqual(counted)
  expect(await load()).toBe(text)
})

it.each([
  ['replaced', DEFAULT_REDACTION, 0],
  ['kept', { ...DEFAULT_REDACTION, texts: 'keep' as const }, 3],
])(
  'redacts a card as in the snapshot before, and counts its tokens each time (texts %s)',
  async (_, policy, tokens) => {
    const token = `mnb0.${'k'.repeat(20)}`
    const cards = ['Vertebra', `key ${token}`].map((title) => ({ noteid: 'N-1', parent: null, title }))
    const create = () => new RecordingRedaction({ policy, tokens: [token] })
    const [redaction, other] = [create(), create()]
    const redactAll = async (snapshots: readonly object[]): Promise<object[]> => {
      const source = { ...createRecordingSource([]), lines: { snapshots: snapshots as SnapshotLine[] } }
      const redacted = await redaction.redactSource(source, () => [])
      return collect(redacted.lines.snapshots as AsyncIterable<SnapshotLine>)
    }
    const [first, second, ...repeated] = await redactAll([...cards, ...cards, ...cards])
    expect(repeated).toEqual([first, second, first, second])
    const text = JSON.stringify([first, second])
    expect(text).not.toContain('mnb0')
    expect(text.includes('Vertebra')).toBe(policy.texts === 'keep')
    for (const card of [...cards, ...cards, ...cards]) other.redactLine('snapshots', card)
    expect(redaction.getPreview().tokens).toBe(other.getPreview().tokens)
    // A token in a text that is replaced goes with it, uncounted.
    expect(redaction.getPreview().tokens).toBe(tokens)
  },
)
