import { afterEach, describe, expect, it } from 'vitest'
import { contentFaultDescriptions, type ContentFault } from '../../../electron/demo-host/faults.ts'
import { startDemo, type DemoConnection, type DemoResponse } from '../../support/hosts/demo.ts'

let host: DemoConnection | null = null
afterEach(() => host?.host.close())

/** Starts a demo host with the fault and requests the first part of this kind. */
async function fetchPart(fault: ContentFault | null, kind: string, range?: string): Promise<DemoResponse> {
  const demoHost = await startDemo({ fault })
  host = demoHost
  const cards = demoHost.host.state.library.sets.flatMap(({ cards: all }) => all)
  const card = cards.find(({ parts }) => parts.some((some) => some.kind === kind))
  const contentId = card?.parts.find((some) => some.kind === kind)?.contentId ?? ''
  return demoHost.ask('notes.content', {
    params: { noteid: card?.noteid ?? '', contentId },
    ...(range === undefined ? {} : { headers: { range } }),
  })
}

const toText = ({ bytes }: DemoResponse): string => Buffer.from(bytes.subarray(0, 200)).toString('latin1')

describe('faults of content', () => {
  it('are all tested here', () => {
    expect(Object.keys(contentFaultDescriptions)).toEqual([
      'no-range',
      'wrong-range',
      'svg-content',
      'html-content',
      'untyped-content',
      'huge-media',
    ])
  })

  it('no-range sends everything, whatever range is requested', async () => {
    const { status, headers, bytes } = await fetchPart('no-range', 'audio', 'bytes=10-19')
    expect([status, headers.get('accept-ranges'), bytes.length > 1_000]).toEqual([200, null, true])
  })

  it('wrong-range sends the neighboring bytes', async () => {
    const { status, headers, bytes } = await fetchPart('wrong-range', 'audio', 'bytes=10-19')
    expect([status, bytes.length]).toEqual([206, 10])
    expect(headers.get('content-range')).toMatch(/^bytes 11-20\//)
  })

  it('svg-content and html-content send markup that would run', async () => {
    const svg = await fetchPart('svg-content', 'image')
    expect([svg.type, toText(svg).includes('<svg')]).toEqual(['image/svg+xml', true])
    await host?.host.close()
    const html = await fetchPart('html-content', 'image')
    expect([html.type, toText(html).includes('<script>')]).toEqual(['image/png', true])
  })

  it('untyped-content sends the same bytes without a type', async () => {
    const untyped = await fetchPart('untyped-content', 'image')
    expect([untyped.type, toText(untyped).startsWith('\x89PNG')]).toEqual(['', true])
  })

  it('huge-media sends half a gigabyte, any part of it available', async () => {
    const start = await fetchPart('huge-media', 'audio', 'bytes=0-43')
    expect(start.headers.get('content-range')).toBe(`bytes 0-43/${512 * 1024 * 1024}`)
    expect(toText(start)).toMatch(/^RIFF....WAVEfmt /s)
    await host?.host.close()
    const end = await fetchPart('huge-media', 'video', 'bytes=-100')
    expect([end.status, end.type, end.bytes.length]).toEqual([206, 'audio/wav', 100])
    await host?.host.close()
    const picture = await fetchPart('huge-media', 'image')
    expect(toText(picture).startsWith('\x89PNG')).toBe(true)
  })
})
