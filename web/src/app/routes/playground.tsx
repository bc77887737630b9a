/** /playground */
export { PlaygroundPage as default } from '../../features/playground/playground-page';
