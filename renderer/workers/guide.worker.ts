import { splitGuide, type GuidePiece } from './guide-pieces.ts'

/**
 * `open` starts a guide. Each `next` requests the next piece; the reply is null after the last one.
 */
export type GuideRequest = { readonly task: 'open'; readonly markdown: string } | { readonly task: 'next' }
export type GuideReply = { readonly piece: GuidePiece | null } | { readonly message: string }

interface Scope {
  onmessage: ((event: MessageEvent<GuideRequest>) => void) | null
  postMessage(message: GuideReply): void
}
const scope = self as unknown as Scope
let pieces: Generator<GuidePiece, void, undefined> | null = null

scope.onmessage = ({ data }) => {
  try {
    if (data.task === 'open') pieces = splitGuide(data.markdown)
    else scope.postMessage({ piece: pieces?.next().value ?? null })
  } catch (error) {
    scope.postMessage({ message: error instanceof Error ? error.message : String(error) })
  }
}
