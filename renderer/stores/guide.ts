import { splitGuide, type GuidePiece } from '../workers/guide-pieces.ts'
import type { GuideMethods } from '../workers/guide.worker.ts'
import { PageWorker } from '../workers/page-worker.ts'

export type { GuideStep, OpeningElement as Opening } from '../workers/guide-pieces.ts'

/** Parses the guide piece by piece, so that a long guide does not block the page. */
export interface GuideReader {
  /** Returns the next piece, null after the last. One call at a time; rejects for bad text. */
  next(): Promise<GuidePiece | null>
  close(): void
}

export function openGuide(markdown: string): GuideReader {
  if (typeof Worker === 'undefined') {
    const pieces = splitGuide(markdown)
    return { next: () => Promise.resolve(pieces.next().value ?? null), close: () => undefined }
  }
  const worker = new PageWorker<GuideMethods>(
    new Worker(new URL('../workers/guide.worker.ts', import.meta.url), { type: 'module', name: 'guide' }),
  )
  worker.send('open', markdown)
  return { next: () => worker.call('readNext', undefined), close: () => worker.end() }
}
