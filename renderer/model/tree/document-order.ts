import type { Forest } from './forest.ts'

/** Consecutive cards of a listing that belong to the same document. */
export interface DocumentRun {
  /** Content id; empty for cards without a document. */
  readonly documentId: string
  /** Node indexes in the order of the listing. */
  readonly nodes: readonly number[]
}

/** Groups all cards by document, in the host's order, except nodes that a filter hides. */
export function groupDocumentRuns(forest: Forest, isShown: (node: number) => boolean = () => true): DocumentRun[] {
  const runs: { documentId: string; nodes: number[] }[] = []
  for (let node = 0; node < forest.count; node += 1) {
    if (!isShown(node)) continue
    const documentId = forest.getDocBook(node)
    const last = runs.at(-1)
    if (last?.documentId === documentId) last.nodes.push(node)
    else runs.push({ documentId, nodes: [node] })
  }
  return runs
}

/** Some card names a document, each document's cards are consecutive, and their pages ascend. */
export function isInDocumentOrder(forest: Forest): boolean {
  const seenDocuments = new Set<string>()
  for (const { documentId, nodes } of groupDocumentRuns(forest)) {
    if (documentId === '') continue
    if (seenDocuments.has(documentId)) return false
    seenDocuments.add(documentId)
    const pages = nodes.map((node) => forest.getDocPage(node)).filter((page) => page > 0)
    if (pages.some((page, index) => page < (pages[index - 1] ?? 0))) return false
  }
  return seenDocuments.size > 0 || forest.count === 0
}
