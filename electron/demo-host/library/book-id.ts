import { md5Like } from './random.ts'

/** Content identifier of a document of the demo library. */
export const bookId = (seed: number, title: string): string => md5Like(`${seed}/book/${title}`)
