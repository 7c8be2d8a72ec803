import CPKCS11
import Glibc
import Synchronization

/// A PKCS #11 module: a library by the token's vendor, loaded into this process until it ends.
struct PKCS11Module {
    private let functions: UnsafeMutablePointer<CK_FUNCTION_LIST>

    /// The standard doesn't say what happens if two threads initialise a module at once.
    private static let loading = Mutex(())

    /// Loads and initialises a module, unless that has been done.
    init(path: String) throws(PKCS11Problem) {
        functions = try Self.loading.withLock { _ throws(PKCS11Problem) in
            // RTLD_LOCAL: another module, or libpq, may load other versions of the same libraries.
            guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { throw .noModule(path) }
            guard let symbol = dlsym(library, "C_GetFunctionList") else { throw .otherLibrary(path) }
            let getFunctions = unsafeBitCast(symbol, to: CK_C_GetFunctionList.self)
            var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
            guard getFunctions(&list) == CKR_OK, let list, let initialise = list.pointee.C_Initialize else {
                throw .otherLibrary(path)
            }
            var arguments = CK_C_INITIALIZE_ARGS()
            arguments.flags = CK_FLAGS(CKF_OS_LOCKING_OK)
            let code = initialise(&arguments)
            guard code == CKR_OK || code == CKR_CRYPTOKI_ALREADY_INITIALIZED else {
                throw .failed(call: "C_Initialize", code: code)
            }
            return list
        }
    }

    /// Calls a function of the module.
    /// - Parameters:
    ///   - name: for the error.
    ///   - call: receives the function and returns its result.
    func call<Function>(
        _ name: String, _ function: KeyPath<CK_FUNCTION_LIST, Function?>, _ call: (Function) -> CK_RV
    ) throws(PKCS11Problem) {
        // A module may lack functions.
        let code = functions.pointee[keyPath: function].map(call) ?? CKR_FUNCTION_NOT_SUPPORTED
        guard code == CKR_OK else { throw .failed(call: name, code: code) }
    }
}
