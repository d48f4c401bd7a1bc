import { execFileSync } from 'node:child_process'

/** A FIFO at this path, which is returned: whoever opens it to read waits for ever. */
export function makeFifo(file: string): string {
  execFileSync('mkfifo', [file])
  return file
}
