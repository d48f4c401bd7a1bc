import type { Forest } from './forest.ts'

/** Cards that follow each other in a listing and belong to one document. */
export interface DocumentRun {
  /** Content identifier; empty for cards without a document. */
  readonly documentId: string
  /** Nodes in the order of the listing. */
  readonly nodes: readonly number[]
}

/** The cards of a listing across all branches, in the host's order, by document. `isShown`: leaves out what a filter hides. */
export function groupDocumentRuns(forest: Forest, isShown: (node: number) => boolean = () => true): DocumentRun[] {
  const runs: { documentId: string; nodes: number[] }[] = []
  for (let node = 0; node < forest.count; node += 1) {
    if (!isShown(node)) continue
    const documentId = forest.docBook(node)
    const last = runs.at(-1)
    if (last?.documentId === documentId) last.nodes.push(node)
    else runs.push({ documentId, nodes: [node] })
  }
  return runs
}

/** Whether the cards name their documents, each document's cards stand together, and their pages do not go back. */
export function isInDocumentOrder(forest: Forest): boolean {
  const begun = new Set<string>()
  for (const { documentId: book, nodes } of groupDocumentRuns(forest)) {
    if (book === '') continue
    if (begun.has(book)) return false
    begun.add(book)
    const pages = nodes.map((node) => forest.docPage(node)).filter((page) => page > 0)
    if (pages.some((page, index) => page < (pages[index - 1] ?? 0))) return false
  }
  return begun.size > 0 || forest.count === 0
}
