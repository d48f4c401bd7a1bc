import { afterEach, describe, expect, it } from 'vitest'
import { contentFaultDescriptions, type ContentFault } from '../../../electron/demo-host/faults.ts'
import { startDemo, type DemoConnection, type DemoResponse } from '../../support/hosts/demo.ts'

let host: DemoConnection | null = null
afterEach(() => host?.host.close())

/** The first part of this kind, requested under a fault. */
async function part(fault: ContentFault | null, kind: string, range?: string): Promise<DemoResponse> {
  const own = await startDemo({ fault })
  host = own
  const cards = own.host.state.library.sets.flatMap(({ cards: all }) => all)
  const card = cards.find(({ parts }) => parts.some((one) => one.kind === kind))
  const contentId = card?.parts.find((one) => one.kind === kind)?.contentId ?? ''
  return own.ask('notes.content', {
    params: { noteid: card?.noteid ?? '', contentId },
    ...(range === undefined ? {} : { headers: { range } }),
  })
}

const text = ({ bytes }: DemoResponse): string => Buffer.from(bytes.subarray(0, 200)).toString('latin1')

describe('faults of contents', () => {
  it('each is tried here', () => {
    expect(Object.keys(contentFaultDescriptions)).toEqual([
      'no-range',
      'wrong-range',
      'svg-content',
      'html-content',
      'untyped-content',
      'huge-media',
    ])
  })

  it('no-range: everything, whatever is requested', async () => {
    const { status, headers, bytes } = await part('no-range', 'audio', 'bytes=10-19')
    expect([status, headers.get('accept-ranges'), bytes.length > 1_000]).toEqual([200, null, true])
  })

  it('wrong-range: the neighbouring bytes', async () => {
    const { status, headers, bytes } = await part('wrong-range', 'audio', 'bytes=10-19')
    expect([status, bytes.length]).toEqual([206, 10])
    expect(headers.get('content-range')).toMatch(/^bytes 11-20\//)
  })

  it('svg-content and html-content: markup that would run', async () => {
    const svg = await part('svg-content', 'image')
    expect([svg.type, text(svg).includes('<svg')]).toEqual(['image/svg+xml', true])
    await host?.host.close()
    const html = await part('html-content', 'image')
    expect([html.type, text(html).includes('<script>')]).toEqual(['image/png', true])
  })

  it('untyped-content: the same bytes without a type', async () => {
    const untyped = await part('untyped-content', 'image')
    expect([untyped.type, text(untyped).startsWith('\x89PNG')]).toEqual(['', true])
  })

  it('huge-media: half a gigabyte, any part of it available', async () => {
    const start = await part('huge-media', 'audio', 'bytes=0-43')
    expect(start.headers.get('content-range')).toBe(`bytes 0-43/${512 * 1024 * 1024}`)
    expect(text(start)).toMatch(/^RIFF....WAVEfmt /s)
    await host?.host.close()
    const end = await part('huge-media', 'video', 'bytes=-100')
    expect([end.status, end.type, end.bytes.length]).toEqual([206, 'audio/wav', 100])
    await host?.host.close()
    const picture = await part('huge-media', 'image')
    expect(text(picture).startsWith('\x89PNG')).toBe(true)
  })
})
