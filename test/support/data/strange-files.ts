import { execFileSync } from 'node:child_process'

/** A FIFO at this path, which is returned: opening it for reading blocks forever. */
export function createFifo(file: string): string {
  execFileSync('mkfifo', [file])
  return file
}
