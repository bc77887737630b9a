// With React in one file of the build, which is read while the others are still on their way.
export { createRoot } from 'react-dom/client';
