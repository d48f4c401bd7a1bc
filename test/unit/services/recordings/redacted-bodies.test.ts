import { expect, it } from 'vitest'
import { RecordingRedaction } from '../../../../electron/services/recordings/redaction/recording-redaction.ts'
import { readContent } from '../../../../electron/recording-file/recording-writer.ts'
import { DEFAULT_REDACTION } from '../../../../shared/recordings/recording.ts'
import { createRecordedExchange, getBodyName } from '../../../support/data/recordings.ts'

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
