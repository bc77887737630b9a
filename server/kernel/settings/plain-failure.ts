/** A failure whose message is all that an operator needs: one line that names the setting and the remedy. No stack is shown. */
export class PlainFailure extends Error {
  override readonly name: string = 'PlainFailure';
}
