import { createBodyComparer } from './body-comparison.ts'
import { servePage } from './serve-page.ts'

const comparer = createBodyComparer()

export type CompareMethods = typeof comparer

servePage(comparer)
